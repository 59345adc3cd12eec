/// A cookie that is sent to the server.
struct ReplicationCookie: Hashable, Sendable {
    let name: String
    let value: String

    /// Requests whose path begins with this get it; `nil` for all.
    let path: String?

    /// In seconds since 1970; `nil` while the replication lasts.
    let expires: Int64?

    /// Whether it is sent over TLS only.
    let isSecure: Bool

    /// Whether scripts in a browser may not see it. It means nothing here, and is kept because the application said it.
    let isHTTPOnly: Bool
}
