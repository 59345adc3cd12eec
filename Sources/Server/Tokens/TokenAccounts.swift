import Access
import Authentication
import BridgeConfiguration
import Documents
import HTTP
import HTTPListener
import Storage

/// The users and sessions of one database, for logins through authenticators.
struct TokenAccounts: AccountDirectory, SessionIssuer {
    let accounts: Accounts
    let passwords: PasswordChecker
    let sessions: Sessions
    let cookies: SessionCookies
    let configuration: AccessConfiguration

    func hasUser(named name: String) async throws -> Bool {
        try await accounts.user(name) != nil
    }

    func userNames(withEmail email: String) async throws -> [String] {
        try await accounts.userNames(email: email, limit: 2)
    }

    /// Admits the user of a match: creates a new user, and applies the identity's grants. Stores the hash of a password that the identity
    /// includes.
    func admit(_ match: AccountMatch) async throws -> User {
        var hash: PasswordHash?
        if let password = match.identity.password { hash = try await passwords.hash(password.revealed) }
        return try await accounts.admit(match, passwordHash: hash)
    }

    func issueSession(for match: AccountMatch, _ info: RequestInfo) async throws -> IssuedSession {
        let user = try await admit(match)
        let time = try configuration.sessionTime(until: match.identity.expires, now: AccessClock.system.seconds)
        let session = try await sessions.create(for: user.name, timeToLive: time, renews: match.identity.expires == nil)
        guard let cookie = cookies.cookie(session, info) else {
            throw LoginError(.misconfigured, "The session cannot be put into a cookie; see `sessions.cookieName`")
        }
        var body: [UInt8] = []
        SessionAnswer.description(of: try await accounts.account(.user(user.name))).append(to: &body)
        return IssuedSession(id: session.id.text, cookie: cookie, body: body)
    }

    /// Creates a local session with the ID of a legacy upstream's session, so that upstream is not asked again.
    ///
    /// - Throws: `LoginError` `refused` if the ID is longer than session IDs can be.
    func adopt(_ cookie: Secret, for match: AccountMatch) async throws -> Login {
        guard let id = SessionID(cookie.revealed) else { throw LoginError(.refused, "Invalid login") }
        let user = try await admit(match)
        let session = try await sessions.create(for: user.name, timeToLive: configuration.sessionTime, id: id)
        return Login(user: user, session: session, sessionID: id)
    }
}

/// Creates sessions for users whom an authenticator has verified.
protocol SessionIssuer: Sendable {
    /// Creates a session. First creates the user if the match is new, and applies the identity's grants.
    ///
    /// - Parameters:
    ///   - match: the session's user. The session should not outlive the identity's ``VerifiedIdentity/expires``.
    ///   - info: the client's connection, for the cookie.
    /// - Throws: ``LoginError`` if the user is not admitted, for example because it is disabled.
    func issueSession(for match: AccountMatch, _ info: RequestInfo) async throws -> IssuedSession
}

/// A newly created session.
struct IssuedSession: Sendable {
    let id: String
    let cookie: SetCookie

    /// The reply of `GET /db/_session`, which is also the reply to logins (docs/protocol/legacy-1x.md#token-logins).
    let body: [UInt8]
}
