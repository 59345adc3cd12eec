import Access
import Authentication
import BridgeConfiguration
import Foundation
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore

/// Login by the session's cookie.
struct SessionLogin: LoginMethod {
    /// The most cookies that are tried. A client may hold cookies of several paths under one name.
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
    /// The login of a session's cookie.
    init(_ session: Session) {
        self.init(user: session.user, session: session.isRenewed ? session : nil, sessionID: session.id)
    }
}

/// The cookies of one database's sessions.
struct SessionCookies: Sendable {
    let name: String
    private let path: String
    private let isAlwaysSecure: Bool

    /// Whether pages of other sites may log in. Their requests are cross-site requests.
    private let isForOtherSites: Bool

    init(database: String, configuration: AccessConfiguration) {
        name = configuration.cookieName
        path = "/\(database)"
        isAlwaysSecure = configuration.isCookieSecure
        isForOtherSites = !configuration.cors.loginOrigins.isEmpty
    }

    /// The session IDs in a request. Emptied cookies are skipped.
    func sessionIDs(of request: Request) -> [SessionID] {
        CookieHeader(request.headers[values: .cookie]).values(named: name).compactMap { SessionID($0) }
    }

    /// The cookie of a session. It is limited to the database's path and hidden from scripts.
    ///
    /// Browsers also get a `SameSite` attribute: `Lax`, or `None` where pages of other sites may log in (browsers require TLS for that).
    /// Other clients do not get it: Couchbase Lite for .NET takes the last attribute that it does not know for the cookie's name
    /// (CookieParser.cs).
    func cookie(_ session: Session, _ info: RequestInfo) -> SetCookie? {
        cookie(session.id.text, expires: session.expires / 1000, info)
    }

    /// A cookie that deletes the client's session cookie.
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
