import Gateway
import HTTP
import HTTPTypes

/// The server's routes outside any database, by the first segment of the path.
enum ServerRoute: String, CaseIterable, Sendable {
    /// A health check for load balancers.
    case ping = "_ping"

    /// The names of all databases.
    case allDatabases = "_all_dbs"

    /// Metrics for Prometheus, under the customary path without an underscore. A database of this name is reached with a slash after it.
    case metrics

    /// The status of each database.
    case status = "_status"

    /// The counts that monitoring of Sync Gateway reads.
    case variables = "_expvar"

    /// The log's settings.
    case logging = "_logging"

    /// The admin page and, below it, its files: ``PageFile``.
    case page = "_ui"

    /// The ports that serve the route.
    var ports: [PortKind] {
        switch self {
        case .ping: [.public, .admin]
        case .allDatabases, .metrics, .status, .variables, .logging, .page: [.admin]
        }
    }

    /// The allowed methods.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .ping, .allDatabases, .metrics, .status, .variables, .page: [.get, .head]
        case .logging: [.get, .head, .put, .post]
        }
    }

    /// The route of a target; `nil` if it has none, for example for a database.
    init?(_ target: RequestTarget) {
        guard let first = target.segments.first, let route = ServerRoute(rawValue: first.value) else { return nil }
        switch route {
        case .page: break
        case .metrics: guard target.segments.count == 1, !target.hasTrailingSlash else { return nil }
        case .ping, .allDatabases, .status, .variables, .logging: guard target.segments.count == 1 else { return nil }
        }
        self = route
    }
}

/// The first segment of a path: a database, or a collection of one.
struct KeyspaceName {
    let database: String

    /// `nil` for the unified keyspace.
    let collection: CollectionName?

    /// Reads `db`, `db.collection` or `db.scope.collection`.
    init?(_ text: String) {
        guard let dot = text.firstIndex(of: ".") else {
            database = text
            collection = nil
            return
        }
        guard let name = CollectionName(String(text[text.index(after: dot)...])) else { return nil }
        database = String(text[..<dot])
        collection = name
    }

    /// The keyspace; `nil` if the store has no such collection.
    func keyspace(in database: Database) async throws -> Keyspace? {
        guard let collection else { return database.unified }
        if let known = database.keyspace(collection) { return known }
        try await database.readCollections()
        return database.keyspace(collection)
    }
}
