import Access
import HTTP
import HummingbirdCore

/// The session's cookie.
struct SessionLogin: LoginMethod {
    /// A client's jar may hold cookies of several paths under one name; further ones than these are not looked at.
    private static let maximumCookies = 4

    let sessions: Sessions
    let cookies: SessionCookies

    var kind: LoginKind { .session }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        let ids = cookies.sessionIDs(of: request).prefix(Self.maximumCookies)
        for id in ids {
            if let session = try await sessions.use(id) { return Login(session) }
        }
        guard ids.isEmpty else { throw AccessError(.invalidSession, "Session Invalid") }
        return nil
    }
}

extension Login {
    /// By a session's cookie.
    init(_ session: Session) {
        self.init(user: session.user, session: session.isRenewed ? session : nil, sessionID: session.id)
    }
}
