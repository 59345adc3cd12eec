package import Access
package import Authentication
import HTTP

/// The login settings of one database.
package struct AccessConfiguration: Hashable, Sendable {
    /// The name of the session cookie. Couchbase Lite accepts any name.
    package var cookieName = "SyncGatewaySession"

    /// The lifetime of a session after its last renewal, in seconds.
    package var sessionTime: Int64 = 86_400

    /// Whether the cookie is `Secure` even if the bridge itself is reached without TLS, because a TLS proxy is in front of it.
    package var isCookieSecure = false

    /// Whether 401 replies request Basic credentials. 2.8 clients log in only after such a challenge; browsers open a login dialogue.
    package var sendsChallenge = true

    /// The cost of password hashes. The next login rehashes a password whose hash has another cost.
    package var passwordCost = ScryptCost.standard

    /// Whether administrators may create users without a password. Such users log in only by sessions or tokens.
    package var allowsEmptyPasswords = false

    /// The origins that may send cross-origin requests.
    package var cors = CrossOriginPolicy()

    package init() {}
}

extension AccessConfiguration {
    /// The lifetime of a session that starts now, in seconds.
    ///
    /// - Parameter end: the expiry of the token that the session starts with, in seconds since 1970; `nil` if it does not expire.
    /// - Throws: `LoginError` `refused` if the token has expired.
    package func sessionTime(until end: Int64?, now: Int64) throws(LoginError) -> Int64 {
        guard let end else { return sessionTime }
        guard end > now else { throw LoginError(.refused, "The token has expired; log in again") }
        return min(sessionTime, end - now)
    }
}

extension AccessConfiguration {
    /// Reads a database's `sessions`.
    init(sessions node: ConfigurationNode) throws {
        self.init()
        try readSessions(node)
    }

    mutating func readSessions(_ node: ConfigurationNode) throws {
        let members = try node.members(["cookieName", "ttl", "secure"])
        members["cookieName"]?.read { node in
            cookieName = try node.text()
            guard SetCookie(name: cookieName, value: "") != nil else {
                throw node.error(.badValue, "`\(cookieName)` cannot be a cookie's name; use letters, digits, `_` and `-`")
            }
        }
        members["ttl"]?.read { node in
            sessionTime = try node.duration().components.seconds
            guard (1...Sessions.maximumTimeToLive).contains(sessionTime) else {
                throw node.error(.badValue, "a session lasts at least a second and at most ten years")
            }
        }
        members["secure"]?.read { isCookieSecure = try $0.bool() }
    }
}
