import Access
import BridgeConfiguration
import Foundation
import HTTP
import HTTPTypes
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

/// The cookies of one database's sessions.
struct SessionCookies: Sendable {
    let name: String
    private let path: String
    private let isAlwaysSecure: Bool

    /// Whether pages of other sites may log in. Their requests are cross-site ones.
    private let isForOtherSites: Bool

    init(database: String, configuration: AccessConfiguration) {
        name = configuration.cookieName
        path = "/\(database)"
        isAlwaysSecure = configuration.isCookieSecure
        isForOtherSites = !configuration.cors.loginOrigins.isEmpty
    }

    /// The sessions that a request names. A cookie that was emptied is none.
    func sessionIDs(of request: Request) -> [SessionID] {
        CookieHeader(request.headers[values: .cookie]).values(named: name).compactMap { SessionID($0) }
    }

    /// What tells a client of its session. It goes with requests below the database's path alone, and scripts do not see it. It does not go with
    /// those that another site causes in a browser, but where pages of such may log in; browsers want TLS for that. Only browsers are told so: Couchbase
    /// Lite for .NET takes the last attribute that it does not know for the cookie's name (CookieParser.cs).
    func cookie(_ session: Session, _ info: RequestInfo) -> SetCookie? {
        cookie(session.id.text, expires: session.expires / 1000, info)
    }

    /// What makes a client forget its session.
    func emptied(_ info: RequestInfo) -> SetCookie? {
        cookie("", expires: 0, info)
    }

    private func cookie(_ value: String, expires: Int64, _ info: RequestInfo) -> SetCookie? {
        let isSecure = info.isSecure || isAlwaysSecure
        return SetCookie(
            name: name, value: value, path: path, expires: expires, isHTTPOnly: true, isSecure: isSecure,
            sameSite: info.isBrowser ? isForOtherSites && isSecure ? SetCookie.SameSite.none : .lax : nil)
    }
}
