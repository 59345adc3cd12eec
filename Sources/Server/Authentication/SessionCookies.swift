import Access
import Foundation
import HTTP
import HTTPTypes
import HummingbirdCore

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
