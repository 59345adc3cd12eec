public import Logging

/// How an endpoint is to be connected to.
public struct ConnectionOptions: Sendable {
    public var authenticator: (any Authenticator)?
    public var serverCertificatePolicy = ServerCertificatePolicy.system
    public var headers: [String: String] = [:]

    /// After how much silence a sign of life is asked for.
    public var heartbeat = Duration.seconds(300)
    public var networkInterface: String?

    /// What the server has set on earlier connections.
    var cookies = ReplicatorCookies()
    public var logger: Logger

    public init(logger: Logger) {
        self.logger = logger
    }
}
