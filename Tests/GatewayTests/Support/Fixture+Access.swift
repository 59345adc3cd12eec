import Access
import Documents
import Gateway
import Storage

extension Fixture {
    /// Creates a user, or replaces the user's channels and roles.
    func user(_ name: String, channels: Set<String> = [], roles: Set<String> = []) async throws {
        var change = AccountChange()
        change.channels = channels
        change.roles = roles
        try await Accounts(store).put(.user(name), change)
    }

    func role(_ name: String, channels: Set<String>) async throws {
        var change = AccountChange()
        change.channels = channels
        try await Accounts(store).put(.role(name), change)
    }
}

extension Keyspace {
    func seen(by user: String) -> Keyspace { seen(by: .user(user)) }

    /// Writes the next revision of a document with these channels; a tombstone if they are `nil`.
    @discardableResult
    func put(_ id: String, channels: [String]?, with properties: String = "") async throws -> RevisionID {
        let parent = try await seen(by: .administrator).read { try $0.document(id)?.winner }
        let list = (channels ?? []).map { "\"\($0)\"" }.joined(separator: ",")
        let body = channels == nil ? "{}" : "{\"channels\":[\(list)]\(properties.isEmpty ? "" : ",")\(properties)}"
        return try await write(
            RevisionWrite(id: id, kind: .edit(parent: parent), isDeleted: channels == nil, body: Array(body.utf8))
        ).revision
    }

    /// The rows of a feed read in batches of `limit`: `a`, `a deleted`, `a removed x`, `a revoked x`, `a again` for a row that a grant
    /// brings.
    func rows(since: FeedPosition = .zero, limit: Int = 100, _ change: (inout ChangesQuery) -> Void = { _ in }) async throws -> [String] {
        try await read(since: since, limit: limit, change).rows
    }

    /// The same, with the position to continue from.
    func read(
        since: FeedPosition = .zero, limit: Int = 100, _ change: (inout ChangesQuery) -> Void = { _ in }
    ) async throws -> (rows: [String], position: FeedPosition) {
        var query = ChangesQuery()
        query.since = since
        query.limit = limit
        query.includesRevocations = true
        change(&query)
        var rows: [String] = []
        while true {
            let batch = try await changes(query)
            rows += batch.rows.map(Self.describe)
            query.since = batch.position
            if batch.isCaughtUp { return (rows, batch.position) }
        }
    }

    private static func describe(_ row: ChangeRow) -> String {
        var words = [row.id]
        if row.isDeleted { words.append("deleted") }
        switch row.departure {
        case nil: break
        case .moved: words.append("moved")
        case .removed(let channels): words.append("removed \(channels.joined(separator: ","))")
        case .revoked(let channels): words.append("revoked \(channels.joined(separator: ","))")
        }
        if row.trigger != nil, row.departure == nil { words.append("again") }
        return words.joined(separator: " ")
    }
}
