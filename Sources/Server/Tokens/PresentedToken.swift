import Access
import Documents

/// The token in the body of a login.
enum PresentedToken {
    /// The most bytes of such a body.
    static let maximumBodySize = 64 * 1024

    /// - Parameters:
    ///   - body: a JSON object. Members besides the token's are passed over: old clients send their e-mail address and URL, too
    ///     (docs/protocol/legacy-1x.md#token-logins).
    ///   - keys: the names that the token's member may have; the first one that is there counts.
    ///   - mayBeBare: whether the body may be the token alone, a JSON string, as iOS sends a Persona assertion.
    /// - Throws: ``LoginError`` `malformed`.
    static func read(_ body: [UInt8], _ keys: String..., mayBeBare: Bool = false) throws(LoginError) -> Secret {
        guard let value = try? JSONValue(body, maximumDepth: 8) else { throw LoginError(.malformed, "The body is no JSON") }
        if mayBeBare, let text = value.string { return Secret(text) }
        guard let text = keys.lazy.compactMap({ value[$0]?.string }).first, !text.isEmpty else {
            throw LoginError(.malformed, "The body lacks `\(keys.first ?? "")`")
        }
        return Secret(text)
    }
}
