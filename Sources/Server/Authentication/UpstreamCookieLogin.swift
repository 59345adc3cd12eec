import Access
import HTTP
import HummingbirdCore

/// The session's cookie, and that of the legacy upstream's where the session is not known here: a fleet comes over without logging in anew.
struct UpstreamCookieLogin: LoginMethod {
    let local: SessionLogin
    let tokens: TokenLogins
    let accounts: TokenAccounts
    let follower: UpstreamFollower?

    var kind: LoginKind { .session }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard case .cookie(let value)? = tokens.upstreamCookie(request), !value.isEmpty else { return try await local.login(request, info) }
        do {
            if let login = try await local.login(request, info) {
                follower?.noteLogin(of: login.user, with: .cookie(value))
                return login
            }
        } catch let error as AccessError where error.code == .invalidSession {
            // Not one of ours, or not any more; the two cookies may have one name.
        }
        if let known = try await adopted(value) {
            follower?.noteLogin(of: known.user, with: .cookie(value))
            return known
        }
        do {
            guard let match = try await tokens.upstream(.cookie(value), info) else { return nil }
            let login = try await accounts.adopt(value, for: match)
            follower?.recordFirstLogin(of: login.user.name)
            return login
        } catch let error as LoginError where error.code == .refused {
            tokens.note(error, "a session of the legacy upstream", info)
            // A dead session like any other: clients that ask who they are log in anew.
            throw AccessError(.invalidSession, "Session Invalid")
        }
    }

    /// Where the two cookies have different names, the client may go on sending upstream's alone.
    private func adopted(_ value: Secret) async throws -> Login? {
        guard let id = SessionID(value.revealed), let session = try await accounts.sessions.use(id) else { return nil }
        return Login(session)
    }
}
