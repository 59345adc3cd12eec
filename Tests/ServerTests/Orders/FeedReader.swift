import Access
import Gateway
import Logging
import ModernProtocol
import ModernServer
import Testing

/// A client that goes on: it keeps its place in each feed, and which revisions it has.
struct FeedReader {
    let user: String

    /// Whether it speaks BLIP. Its place is then that of the last row; a client that reads the feed itself keeps the feed's end.
    var isModern = false

    /// By the keyspace: empty for the unified one.
    var places: [String: FeedPosition] = [:]
    var held: [String: [String: String]] = [:]

    /// Who it is, in what a test says.
    var name: String { isModern ? "\(user) over BLIP" : user }

    /// Pulls until it is caught up.
    mutating func pull(_ keyspace: Keyspace, as name: String, limit: Int) async throws {
        var query = ChangesQuery()
        query.since = places[name] ?? .zero
        query.limit = limit
        query.includesRevocations = true
        var documents = held[name] ?? [:]
        while true {
            let batch = try await keyspace.changes(query)
            for row in batch.rows {
                documents[row.id] = row.isRemoval || row.isDeleted ? nil : row.revision
            }
            query.since = batch.position
            if batch.isCaughtUp { break }
        }
        places[name] = query.since
        held[name] = documents
    }

    /// Pulls the unified keyspace as a client that knows no collections, and these collections as one that does.
    mutating func pull(_ database: Database, collections: [String]) async throws {
        let listener = ModernListener(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for asked in [[""], collections] {
            let client = try PullClient(asked, since: places)
            await listener.serve(client, database: database, principal: .user(user), subprotocol: .v3)
            #expect(await client.faults == [])
            for row in await client.rows {
                held[row.place, default: [:]][row.id] = row.isGone ? nil : row.revision
                places[row.place] = row.position
            }
        }
    }

    /// What a client has that begins now.
    static func fresh(_ keyspace: Keyspace) async throws -> [String: String] {
        var reader = FeedReader(user: "")
        try await reader.pull(keyspace, as: "", limit: 100)
        return reader.held[""] ?? [:]
    }
}
