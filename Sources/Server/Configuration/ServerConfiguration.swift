public import Access
public import Gateway

/// What `dualgauge.yaml` says.
public struct ServerConfiguration: Sendable {
    /// One database of the file, and where its store is.
    public struct ServedDatabase: Hashable, Sendable {
        public var configuration: DatabaseConfiguration
        /// The store's folder.
        public var store: String
        /// Who else may vouch for its users.
        public var authenticators = AuthenticatorsConfiguration()

        public var access = AccessConfiguration()

        /// Users and roles to begin with.
        public var accounts: [ConfiguredAccount] = []

        /// Whether an administrator may empty it by `_flush`.
        public var allowsFlush = false

        /// The replications that run beside the listeners, by name.
        public var replications: [String: ReplicationDefinition] = [:]

        /// How it is cut over from its old server; `nil` if it is not.
        public var cutover: CutoverConfiguration?

        public init(configuration: DatabaseConfiguration, store: String) {
            self.configuration = configuration
            self.store = store
        }
    }

    public var listen = ListenConfiguration()
    public var databases: [ServedDatabase] = []

    /// The `Server` header. 1.x clients compare what follows the first slash as a string to decide what the server can do,
    /// and a second slash breaks the .NET client's recognition (docs/protocol/legacy-1x.md#server-header).
    public var serverHeader = "Couchbase Sync Gateway/3.2 (Dualgauge \(ServerVersion.current))"

    public var limits = ServerLimits()
    public var logging = LogSettings()

    /// Who may log in at the admin port; `nil` if nobody has to.
    public var adminAuth: AdminAuthConfiguration?

    /// The file in which is written what was changed on the admin port; `nil` for the log.
    public var auditFile: String?

    /// Where the stores lie of databases that are made on the admin port.
    public var databasesFolder = "databases"

    /// Whether those may be emptied by `_flush`.
    public var allowsFlush = false

    public init() {}
}
