import Gateway
import HTTP
import HTTPTypes

/// What the server answers outside of any database, by the first segment of the path.
enum ServerRoute: String, CaseIterable, Sendable {
    /// Whether the server is there, for load balancers.
    case ping = "_ping"

    /// The names of all databases.
    case allDatabases = "_all_dbs"

    /// Counts for Prometheus. It has no underscore, as everywhere; a database of this name is reached with a slash behind it.
    case metrics

    /// How each database is doing.
    case status = "_status"

    /// The counts that monitoring of Sync Gateway reads.
    case variables = "_expvar"

    /// What is logged.
    case logging = "_logging"

    /// The page for people, with its files behind it: ``PageFile``.
    case page = "_ui"

    /// At which ports it is.
    var ports: [PortKind] {
        switch self {
        case .ping: [.package, .admin]
        case .allDatabases, .metrics, .status, .variables, .logging, .page: [.admin]
        }
    }

    /// How it may be asked.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .ping, .allDatabases, .metrics, .status, .variables, .page: [.get, .head]
        case .logging: [.get, .head, .put, .post]
        }
    }

    /// The route that a target names; `nil` if it names none, a database for example.
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
