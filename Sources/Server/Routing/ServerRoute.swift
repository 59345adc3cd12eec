/// What the server answers outside of any database, by the first segment of the path. Nobody has to log in.
enum ServerRoute: String, CaseIterable, Sendable {
    /// Whether the server is there, for load balancers.
    case ping = "_ping"

    /// The names of all databases.
    case allDatabases = "_all_dbs"

    /// At which ports it is.
    var ports: [PortKind] {
        switch self {
        case .ping: [.public, .admin]
        case .allDatabases: [.admin]
        }
    }
}
