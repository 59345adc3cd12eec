import Access
import BridgeConfiguration
import Documents
import HTTP
import Storage

/// The users of one database, for those who come with what others vouch for.
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

    /// Lets the user of a match in: creates him if he is new, and gives him what the identity says. A password that came along is known here
    /// from now on.
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

    /// Lets a session of the legacy upstream's go on here under its ID, so that upstream need not be asked again.
    ///
    /// - Throws: `LoginError` `refused` if the ID is longer than any session's.
    func adopt(_ cookie: Secret, for match: AccountMatch) async throws -> Login {
        guard let id = SessionID(cookie.revealed) else { throw LoginError(.refused, "Invalid login") }
        let user = try await admit(match)
        let session = try await sessions.create(for: user.name, timeToLive: configuration.sessionTime, id: id)
        return Login(user: user, session: session, sessionID: id)
    }
}

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

/// A session that was just made.
struct IssuedSession: Sendable {
    let id: String
    let cookie: SetCookie

    /// What `GET /db/_session` will answer: the answer to logins, too (docs/protocol/legacy-1x.md#token-logins).
    let body: [UInt8]
}
