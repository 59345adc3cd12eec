public import Access
import HTTP

/// The HTTP proxy through which a replication reaches its server, as somebody writes it: its URL may have a password.
public struct ReplicationProxy: Hashable, Sendable {
    private let url: Secret

    /// - Parameter url: `http://host:port`, or `http://user:password@host:port`.
    /// - Throws: ``ReplicationSetupError``, whose message has no secret in it.
    public init(_ url: String) throws(ReplicationSetupError) {
        guard OutboundProxy(url) != nil else {
            throw ReplicationSetupError(.address, "a proxy is written as `http://host:port`, or `http://user:password@host:port`")
        }
        self.url = Secret(url)
    }

    var address: OutboundProxy? { OutboundProxy(url.revealed) }
}
