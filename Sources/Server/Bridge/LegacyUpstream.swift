import Access

/// The server that a database's fleet comes from: the one at which logins are tried, or else that of the replication which `cutover` names, or
/// which is named `legacy`, if it speaks 1.x.
struct LegacyUpstream {
    /// The replication that may name it, where `cutover` does not say which.
    private static let replication = "legacy"

    let configuration: UpstreamConfiguration

    init?(_ served: ServerConfiguration.ServedDatabase) {
        if let upstream = served.authenticators.upstream {
            configuration = upstream
            return
        }
        guard case .server(let address)? = served.replications[served.cutover?.legacy ?? Self.replication]?.target, address.isLegacy,
            let endpoint = try? VerificationEndpoint(configured: address.url, plainHTTP: .anywhere)
        else { return nil }
        configuration = UpstreamConfiguration(database: endpoint)
    }

    /// Whether it is the server of a replication.
    func isServer(of definition: ReplicationDefinition) -> Bool {
        guard case .server(let address) = definition.target else { return false }
        let own = configuration.database.url
        return address.url == (own.hasSuffix("/") ? String(own.dropLast()) : own)
    }
}
