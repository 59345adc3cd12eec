package import Access

/// Verifies a token with an authenticator. Each authenticator has one implementation.
package protocol TokenVerifier<Token>: Sendable {
    /// The client's proof: a string, credentials, a certificate.
    associatedtype Token: Sendable

    /// The authenticator's name in logs.
    var authenticator: AuthenticatorKind { get }

    /// The identity that the token proves.
    ///
    /// - Throws: ``LoginError``: `malformed` if the token is unreadable, `refused` if it is not accepted, `unavailable` if the authenticator does
    ///   not reply properly. An identity is returned only after all checks.
    func verify(_ token: Token) async throws(LoginError) -> VerifiedIdentity
}

/// The syntax of tokens, checked before any request to an authenticator.
enum TokenText {
    /// The maximum length of a token, in bytes.
    static let maximumLength = 16 * 1024

    /// Whether the token is printable ASCII without blanks, which can be sent in a header, and not too long.
    static func isPlausible(_ token: Secret) -> Bool {
        let text = token.revealed.utf8
        return !text.isEmpty && text.count <= maximumLength && text.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}
