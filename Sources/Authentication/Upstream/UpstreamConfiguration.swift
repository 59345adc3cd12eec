/// The configuration of logins with the legacy upstream.
package struct UpstreamConfiguration: Hashable, Sendable {
    /// The limits of login attempts, per minute.
    package struct Rates: Hashable, Sendable {
        /// Per user name.
        package var user = 10
        /// Per address. Many devices may share one.
        package var address = 120
        /// In total, to protect the legacy server.
        package var total = 1200

        package init() {}
    }

    /// The database's URL on upstream.
    package var database: VerificationEndpoint

    /// The name of upstream's session cookie.
    package var cookieName = "SyncGatewaySession"

    package var rates = Rates()

    /// The lifetime of a cached refusal, in seconds.
    package var refusalLifetime: Int64 = 60

    package init(database: VerificationEndpoint) {
        self.database = database
    }
}
