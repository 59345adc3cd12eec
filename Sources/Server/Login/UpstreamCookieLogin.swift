import Access
import Authentication
import HTTP
import HTTPListener
import HummingbirdCore

/// Login by the local session's cookie, or by the legacy upstream's session cookie where the session is unknown here.
///
/// A fleet moves over without logging in again.
struct UpstreamCookieLogin: LoginMethod {
    let local: SessionLogin
    let tokens: TokenLogins
    let accounts: TokenAccounts
    let follower: UpstreamFollower?

    /// Whether upstream logs in all users at present, those with an account of this server among them.
    let vouches: @Sendable () async throws -> Bool

    var kind: LoginKind { .session }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard case .cookie(let value)? = tokens.upstreamCookie(request), !value.isEmpty else { return try await local.login(request, info) }
        do {
            if let login = try await local.login(request, info) {
                follower?.recordLogin(of: login.user, with: .cookie(value))
                return login
            }
        } catch let error as AccessError where error.code == .invalidSession {
            // The session is unknown here or expired. The two cookies may have the same name, so upstream may know it.
        }
        if let known = try await adopted(value) {
            follower?.recordLogin(of: known.user, with: .cookie(value))
            return known
        }
        do {
            guard var match = try await tokens.upstream(.cookie(value), info) else { return nil }
            if !match.isNew { match.isVouched = try await vouches() }
            let login = try await accounts.adopt(value, for: match)
            follower?.recordFirstLogin(of: login.user.name)
            return login
        } catch let error as LoginError where error.code == .refused {
            tokens.log(error, "a session of the legacy upstream", info)
            // Reported like any other invalid session: clients that query their session log in again then.
            throw AccessError(.invalidSession, "Session Invalid")
        }
    }

    /// The adopted local session of an upstream cookie. Where the two cookies have different names, a client may send only upstream's.
    private func adopted(_ value: Secret) async throws -> Login? {
        guard let id = SessionID(value.revealed), let session = try await accounts.sessions.use(id) else { return nil }
        return Login(session)
    }
}
