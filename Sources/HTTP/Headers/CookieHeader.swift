/// The cookies of a request, in order.
///
/// Couchbase Lite for .NET sends an empty `Cookie:` header on every request without cookies. One name may come
/// several times, when a client's jar holds cookies of several paths: all are kept.
public struct CookieHeader: Sendable, Hashable {
    /// A name and its value.
    public struct Cookie: Sendable, Hashable {
        /// A token; case matters.
        public let name: String
        /// Without the quotes around it.
        public let value: String
    }

    /// Further cookies than these are not looked at.
    static let maximumCount = 128

    /// All cookies in the order in which they were sent.
    public let cookies: [Cookie]

    /// Reads the values of all `Cookie` headers of a request. Pieces that are no `name=value` are passed over.
    public init(_ headers: [String]) {
        var cookies: [Cookie] = []
        for header in headers {
            for piece in Array(header.utf8).split(separator: ASCII.semicolon) {
                guard cookies.count < Self.maximumCount else { break }
                if let cookie = Self.cookie(piece) { cookies.append(cookie) }
            }
        }
        self.cookies = cookies
    }

    /// Reads the value of one `Cookie` header.
    public init(_ header: String) {
        self.init([header])
    }

    /// The value of the first cookie of that name. Names are case-sensitive.
    public subscript(name: String) -> String? {
        cookies.first { $0.name == name }?.value
    }

    /// The values of all cookies of that name.
    public func values(named name: String) -> [String] {
        cookies.filter { $0.name == name }.map(\.value)
    }

    private static func cookie(_ piece: ArraySlice<UInt8>) -> Cookie? {
        guard let equals = piece.firstIndex(of: ASCII.equals) else { return nil }
        let name = ASCII.trimmed(piece[..<equals])
        var value = ASCII.trimmed(piece[(equals + 1)...])
        guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else { return nil }
        if value.count >= 2, value.first == ASCII.quote, value.last == ASCII.quote { value = value.dropFirst().dropLast() }
        return Cookie(name: ASCII.text(name), value: ASCII.text(value))
    }
}

/// One `Set-Cookie` header to send (RFC 6265, 4.1).
///
/// Send one to a response: Couchbase Lite for .NET keeps the first only. Without a path, Java takes the
/// cookie for the whole host.
public struct SetCookie: Sendable, Hashable {
    /// Whether a browser sends the cookie with requests that other sites cause.
    public enum SameSite: String, Sendable, Hashable {
        /// Never.
        case strict = "Strict"
        /// When the user follows a link.
        case lax = "Lax"
        /// Always; browsers want `isSecure` with it.
        case none = "None"
    }

    /// A token.
    public let name: String
    /// Printable ASCII without quotes, commas, semicolons, backslashes and spaces.
    public let value: String
    /// The path below which the client sends it, such as `/db`.
    public let path: String?
    /// In seconds since 1970. In the past, it makes the client drop the cookie; `nil` keeps it for the client's session.
    public let expires: Int64?
    /// Whether it is kept from scripts.
    public let isHTTPOnly: Bool
    /// Whether it travels over TLS only.
    public let isSecure: Bool
    /// `nil` leaves it to the browser.
    public let sameSite: SameSite?

    /// `nil` if the name is no token, or the value or path has a character that would end it or the header.
    public init?(
        name: String, value: String, path: String? = nil, expires: Int64? = nil, isHTTPOnly: Bool = true, isSecure: Bool = false,
        sameSite: SameSite? = nil
    ) {
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken), value.utf8.allSatisfy(Self.isValueOctet),
            path?.utf8.allSatisfy({ !ASCII.isControl($0) && $0 != ASCII.semicolon }) ?? true
        else { return nil }
        self.name = name
        self.value = value
        self.path = path
        self.expires = expires
        self.isHTTPOnly = isHTTPOnly
        self.isSecure = isSecure
        self.sameSite = sameSite
    }

    /// The header's value.
    public var rendered: String {
        var text = "\(name)=\(value)"
        if let path { text += "; Path=\(path)" }
        if let expires { text += "; Expires=\(HTTPDate.format(expires))" }
        if isHTTPOnly { text += "; HttpOnly" }
        if isSecure { text += "; Secure" }
        if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
        return text
    }

    private static func isValueOctet(_ byte: UInt8) -> Bool {
        guard byte > ASCII.space, byte < ASCII.delete else { return false }
        return byte != ASCII.quote && byte != ASCII.comma && byte != ASCII.semicolon && byte != ASCII.backslash
    }
}
