package import Access
import Foundation
import HTTP

/// The server that a database's fleet comes from: the one at which logins are tried, or else that of the replication which `cutover` names, or
/// which is named `legacy`, if it speaks 1.x.
package struct LegacyUpstream {
    /// The replication that may name it, where `cutover` does not say which.
    private static let defaultReplication = "legacy"

    package let configuration: UpstreamConfiguration

    /// The replication with it; `nil` if there is none.
    package let replication: ReplicationDefinition?

    /// The old server by the configuration's own word, at whatever address the replication reaches it.
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

    /// Whether it is the server of a replication.
    ///
    /// Logins go to a server's public port and replications often to its admin port, so ports and schemes do not matter.
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
