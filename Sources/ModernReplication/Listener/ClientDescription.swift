/// Who is at the other end of a connection.
public struct ClientDescription: Sendable, Hashable {
    /// The `User-Agent` of the upgrade request.
    public var userAgent: String?

    /// The peer's network address, for logs.
    public var address: String?

    /// Whether its database has revision trees although it speaks version 4 of the protocol: see ``ModernListener/hasRevisionTrees(_:)``.
    public var hasRevisionTrees: Bool

    /// What the handshake's answer called the connection, for the logs of both sides.
    public var correlation: String?

    public init(userAgent: String? = nil, address: String? = nil, correlation: String? = nil, hasRevisionTrees: Bool = false) {
        self.userAgent = userAgent
        self.address = address
        self.correlation = correlation
        self.hasRevisionTrees = hasRevisionTrees
    }
}
