public import Access

/// A cookie that is sent to the server, set by hand.
public struct RemoteCookie: Hashable, Sendable {
    public var name: String
    public var value: Secret

    /// Requests whose path begins with this get it; `nil` for all.
    public var path: String?

    /// In seconds since 1970; `nil` while the replication lasts.
    public var expires: Int64?

    /// Whether it is sent over TLS only.
    public var isSecure = false
    public var isHTTPOnly = false

    public init(name: String, value: Secret) {
        self.name = name
        self.value = value
    }
}
