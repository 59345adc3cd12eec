public import HTTP
public import Logging

/// How an endpoint is to be connected to.
public struct ConnectionOptions: Sendable {
    public var authenticator: (any Authenticator)?
    public var serverCertificatePolicy = ServerCertificatePolicy.system
    public var headers: [String: String] = [:]

    /// After how much silence a sign of life is asked for.
    public var heartbeat = Duration.seconds(300)
    public var networkInterface: String?
    public var proxy: OutboundProxy?

    /// The versions of the protocol that the other side may choose from, the best first.
    public var subprotocols: [Subprotocol] = [.v3, .v2, .v4]

    /// What the server has set on earlier connections.
    var cookies = ReplicatorCookies()
    public var logger: Logger

    /// The names of the cookies that the application speaks of itself.
    var cookieNames: Set<String> {
        let headers = headers.filter { $0.key.lowercased() == "cookie" }.map(\.value)
        let session = (authenticator as? SessionAuthenticator).map { [$0.cookieName] } ?? []
        return Set(CookieHeader(headers).cookies.map(\.name) + session)
    }

    public init(logger: Logger) {
        self.logger = logger
    }
}
