import Access
import HTTP

/// Makes sessions for users that an authenticator vouches for.
protocol SessionIssuer: Sendable {
    /// Makes a session. Creates the user first where the match says that it is new, and takes over what the identity grants.
    ///
    /// - Parameters:
    ///   - match: whose session it is. It should not outlive the identity's ``VerifiedIdentity/expires``.
    ///   - info: how the client speaks, for the cookie.
    /// - Throws: ``LoginError`` where the user may not come in, being disabled for one.
    func issueSession(for match: AccountMatch, _ info: RequestInfo) async throws -> IssuedSession
}
