/// Who is at the other end of a connection.
public struct ClientDescription: Sendable, Hashable {
    /// The user's name; `nil` for the guest.
    public var user: String?

    /// The `User-Agent` of the upgrade request.
    public var userAgent: String?

    /// The peer's network address, for logs.
    public var address: String?

    public init(user: String? = nil, userAgent: String? = nil, address: String? = nil) {
        self.user = user
        self.userAgent = userAgent
        self.address = address
    }
}
