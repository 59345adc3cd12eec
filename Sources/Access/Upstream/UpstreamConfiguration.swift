/// What the configuration says of logins that are tried at the server the fleet comes from.
public struct UpstreamConfiguration: Hashable, Sendable {
    /// How often logins are tried, each a minute.
    public struct Rates: Hashable, Sendable {
        /// For one user name.
        public var user = 10
        /// From one address. Many devices may be behind one.
        public var address = 120
        /// Altogether: the old server is not to suffer from ours.
        public var total = 1200

        public init() {}
    }

    /// The database's URL there.
    public var database: VerificationEndpoint

    /// The name of the session cookie there.
    public var cookieName = "SyncGatewaySession"

    public var rates = Rates()

    /// How long a refusal is remembered, in seconds.
    public var refusalLifetime: Int64 = 60

    public init(database: VerificationEndpoint) {
        self.database = database
    }
}
