/// A cookie that a client keeps for one server.
public struct StoredCookie: Hashable, Sendable {
    public let name: String
    public let value: String

    /// Requests whose path begins with this get it; `nil` for all.
    public let path: String?

    /// In seconds since 1970; `nil` for as long as the client lives.
    public let expires: Int64?

    /// Whether it is sent over TLS only.
    public let isSecure: Bool

    /// Whether scripts in a browser may not see it. It means nothing here, and is kept because the server or the application said it.
    public let isHTTPOnly: Bool

    public init(name: String, value: String, path: String? = nil, expires: Int64? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false) {
        self.name = name
        self.value = value
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
    }
}
