/// Who is at the other end of a connection.
public struct ClientDescription: Sendable, Hashable {
    /// The `User-Agent` of the upgrade request.
    public var userAgent: String?

    /// The peer's network address, for logs.
    public var address: String?

    public init(userAgent: String? = nil, address: String? = nil) {
        self.userAgent = userAgent
        self.address = address
    }
}
