/// The cookies of a request, in order.
///
/// Couchbase Lite for .NET sends an empty `Cookie:` header on every request without cookies. A name occurs several times if a client has
/// cookies for several paths; all of them are included.
package struct CookieHeader: Sendable, Hashable {
    /// A name and its value.
    package struct Cookie: Sendable, Hashable {
        /// The name, a case-sensitive token.
        package let name: String
        /// The value without surrounding quotes.
        package let value: String
    }

    /// The maximum number of parsed cookies; further ones are ignored.
    static let maximumCount = 128

    /// All cookies in the order of the header.
    package let cookies: [Cookie]

    /// Parses the values of all `Cookie` headers of a request. Pieces that are not `name=value` are ignored.
    package init(_ headers: [String]) {
        var cookies: [Cookie] = []
        for header in headers {
            for piece in Array(header.utf8).split(separator: ASCII.semicolon) {
                guard cookies.count < Self.maximumCount else { break }
                if let cookie = Self.cookie(piece) { cookies.append(cookie) }
            }
        }
        self.cookies = cookies
    }

    /// Parses the value of one `Cookie` header.
    package init(_ header: String) {
        self.init([header])
    }

    /// The value of the first cookie with this name. Names are case-sensitive.
    package subscript(name: String) -> String? {
        cookies.first { $0.name == name }?.value
    }

    /// The values of all cookies with this name.
    package func values(named name: String) -> [String] {
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
/// A response should have only one: Couchbase Lite for .NET stores only the first. Without a path, Java applies the cookie to the whole
/// host.
package struct SetCookie: Sendable, Hashable {
    /// Whether a browser sends the cookie with cross-site requests.
    package enum SameSite: String, Sendable, Hashable {
        /// Never sent.
        case strict = "Strict"
        /// Sent when the user follows a link.
        case lax = "Lax"
        /// Always sent; browsers require `isSecure` with it.
        case none = "None"
    }

    /// The name, a token.
    package let name: String
    /// The value: printable ASCII without quotes, commas, semicolons, backslashes and spaces.
    package let value: String
    /// The path below which the client sends the cookie, such as `/db`.
    package let path: String?
    /// In seconds since 1970. A time in the past deletes the cookie; `nil` limits it to the client's session.
    package let expires: Int64?
    /// Whether scripts have no access to the cookie.
    package let isHTTPOnly: Bool
    /// Whether the cookie is sent over TLS only.
    package let isSecure: Bool
    /// The `SameSite` attribute; `nil` for the browser's default.
    package let sameSite: SameSite?

    /// `nil` if the name is not a token, or if the value or path contains a character that ends it or the header.
    package init?(
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
    package var rendered: String {
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
