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
