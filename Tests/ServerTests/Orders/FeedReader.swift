import Access
import Gateway
import Logging
import ModernProtocol
import ModernServer
import Testing

/// A client that goes on: it keeps its position in each feed, and its revisions.
struct FeedReader {
    let user: String

    /// Whether the client uses BLIP. Its position is then that of the last row; a client that reads the feed itself keeps the feed's end.
    var isModern = false

    /// By keyspace: an empty name for the unified keyspace.
    var places: [String: FeedPosition] = [:]
    var held: [String: [String: String]] = [:]

    /// The client's name in messages of a test.
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

    /// Pulls the unified keyspace as a client without collections, and these collections as a client with collections.
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

    /// The documents of a new client.
    static func fresh(_ keyspace: Keyspace) async throws -> [String: String] {
        var reader = FeedReader(user: "")
        try await reader.pull(keyspace, as: "", limit: 100)
        return reader.held[""] ?? [:]
    }
}
