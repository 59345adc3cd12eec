import Foundation

/// An HTTP proxy through which connections go out: it is asked to `CONNECT` to each server, and sees no more of what is said than TLS lets it.
public struct OutboundProxy: Sendable, Hashable {
    /// A name or an address, without the brackets of an IPv6 address.
    public let host: String
    public let port: Int

    /// What it is told who asks; `nil` if it asks nobody.
    public let credentials: BasicCredentials?

    /// - Parameter url: `http://host:port`, with `user:password@` before the host where the proxy asks for a login. Without a port it is 80.
    /// - Returns: `nil` for what is no such URL. The proxy itself is reached without TLS.
    public init?(_ url: String) {
        guard let parsed = WebURL(url, schemes: ["http"]), ["", "/"].contains(parsed.parts.path), parsed.parts.query == nil,
            parsed.parts.fragment == nil
        else { return nil }
        let user = parsed.parts.user
        guard user?.contains(":") != true else { return nil }
        (host, port) = (parsed.bareHost, parsed.port)
        credentials = user.map { BasicCredentials(user: $0, password: parsed.parts.password ?? "") }
    }
}

extension OutboundProxy: CustomStringConvertible {
    /// Has no password.
    public var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
