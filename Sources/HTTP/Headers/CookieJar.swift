import Foundation

/// The cookies of one server, including manually configured ones.
package struct CookieJar: Sendable, Hashable {
    /// More than any server needs, and small enough to send.
    private static let maximumCount = 50

    package private(set) var cookies: [StoredCookie] = []

    package init(_ cookies: [StoredCookie] = []) {
        for cookie in cookies { store(cookie) }
    }

    /// Stores a cookie, replacing one with the same name and path.
    package mutating func store(_ cookie: StoredCookie) {
        cookies.removeAll { $0.name == cookie.name && $0.path == cookie.path }
        if cookies.count < Self.maximumCount { cookies.append(cookie) }
    }

    /// Stores the cookie of a `Set-Cookie` header. An expired one deletes the stored cookie with its name.
    ///
    /// - Parameter now: In seconds since 1970.
    package mutating func store(setCookie header: String, now: Int64) {
        let pieces = header.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let first = pieces.first, let equals = first.firstIndex(of: "="), equals > first.startIndex else { return }
        var path: String?
        var expires: Int64?
        var maxAge: Int64?
        var isSecure = false
        var isHTTPOnly = false
        for piece in pieces.dropFirst() {
            let halves = piece.split(separator: "=", maxSplits: 1).map(String.init)
            let value = halves.count > 1 ? halves[1] : ""
            switch halves.first?.lowercased() {
            case "path": path = value.hasPrefix("/") ? value : nil
            case "expires": expires = HTTPDate.parse(value)
            case "max-age": maxAge = Int64(value).map { now &+ $0 }
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            default: break
            }
        }
        let cookie = StoredCookie(
            name: String(first[..<equals]), value: String(first[first.index(after: equals)...]), path: path, expires: maxAge ?? expires,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly)
        store(cookie)
        cookies.removeAll { $0.expires.map { $0 <= now } ?? false }
    }

    /// The value of the `Cookie` header for a request; `nil` if there is nothing to send.
    package func header(path: String, isSecure: Bool, now: Int64) -> String? {
        let sent = cookies.filter { cookie in
            (isSecure || !cookie.isSecure) && (cookie.expires.map { $0 > now } ?? true) && Self.covers(cookie.path, path)
        }
        return sent.isEmpty ? nil : sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// Whether a cookie's path covers a request's path (RFC 6265, 5.1.4).
    private static func covers(_ cookiePath: String?, _ path: String) -> Bool {
        guard let cookiePath, cookiePath != "/", cookiePath != path else { return true }
        guard path.hasPrefix(cookiePath) else { return false }
        return cookiePath.hasSuffix("/") || path.dropFirst(cookiePath.count).first == "/"
    }
}

/// A cookie that a client stores for one server.
package struct StoredCookie: Hashable, Sendable {
    package let name: String
    package let value: String

    /// The path prefix of requests that include the cookie; `nil` for all requests.
    package let path: String?

    /// In seconds since 1970; `nil` for a session cookie.
    package let expires: Int64?

    /// Whether the cookie is sent over TLS only.
    package let isSecure: Bool

    /// Whether scripts in a browser have no access. It has no effect here; it is stored as received.
    package let isHTTPOnly: Bool

    package init(name: String, value: String, path: String? = nil, expires: Int64? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false)
    {
        self.name = name
        self.value = value
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
    }
}
