/// What a client presents that may be known upstream.
public struct UpstreamLogin: Hashable, Sendable {
    public enum Credentials: Hashable, Sendable {
        case basic(user: String, password: Secret)
        /// The value of the session cookie that the upstream gave the client.
        case cookie(Secret)
    }

    public let credentials: Credentials

    /// Where the client is, to bound how often one place tries; without its port.
    public let address: String

    public init(_ credentials: Credentials, from address: String) {
        self.credentials = credentials
        self.address = address
    }
}
