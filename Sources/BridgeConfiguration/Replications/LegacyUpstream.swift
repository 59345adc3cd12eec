package import Authentication
import Foundation
import HTTP

/// The old server of a database's clients.
///
/// It is the server of `authenticators.upstream`, or else the 1.x server of a replication: the one that `cutover` names, or without `cutover` the
/// one named `legacy`.
package struct LegacyUpstream {
    /// The name of the replication that is used if there is no `cutover`.
    private static let defaultReplication = "legacy"

    package let configuration: UpstreamConfiguration

    /// The replication with the old server; `nil` if there is none.
    package let replication: ReplicationDefinition?

    /// The server of the replication that `cutover` names; it counts as the old server at any address.
    private let named: RemoteAddress?

    package init?(_ served: ServerConfiguration.ServedDatabase) {
        named = served.cutover.flatMap { served.replications[$0.legacy]?.target.server }
        replication = served.replications[served.cutover?.legacy ?? Self.defaultReplication]
        if let upstream = served.authenticators.upstream {
            configuration = upstream
            return
        }
        guard case .server(let address)? = replication?.target, address.isLegacy,
            let endpoint = try? VerificationEndpoint(configured: address.url, plainHTTP: .anywhere)
        else { return nil }
        configuration = UpstreamConfiguration(database: endpoint)
    }

    /// Whether the old server is the server of a replication.
    ///
    /// Ports and schemes are ignored: logins go to a server's public port, replications often to its admin port.
    package func isServer(of definition: ReplicationDefinition) -> Bool {
        guard let address = definition.target.server, address.isLegacy else { return false }
        if let named, named.url == address.url { return true }
        guard let own = WebURL(configuration.database.url, schemes: WebURL.http), let other = WebURL(address.url, schemes: WebURL.http)
        else { return false }
        return own.host.lowercased() == other.host.lowercased() && Self.path(own) == Self.path(other)
    }

    private static func path(_ url: WebURL) -> Substring {
        let path = url.parts.percentEncodedPath
        return path.hasSuffix("/") ? path.dropLast() : path[...]
    }
}
