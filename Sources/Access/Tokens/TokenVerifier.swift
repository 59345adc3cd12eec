/// Finds out whether somebody else vouches for a user: the whole of what an authenticator has to do. Another authenticator is another file.
public protocol TokenVerifier<Token>: Sendable {
    /// What a client presents: a text, credentials, a certificate.
    associatedtype Token: Sendable

    /// By what name logs call it.
    var authenticator: Authenticator { get }

    /// Who the token is for.
    ///
    /// - Throws: ``LoginError``: `malformed` if the token cannot be read, `refused` if it does not prove anything to us, `unavailable` if
    ///   whoever has to be asked does not answer properly. There is no identity unless everything was checked.
    func verify(_ token: Token) async throws(LoginError) -> VerifiedIdentity
}
