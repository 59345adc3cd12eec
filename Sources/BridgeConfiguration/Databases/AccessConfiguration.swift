package import Access
import HTTP

/// What the configuration says of logins to one database.
package struct AccessConfiguration: Hashable, Sendable {
    /// The name of the session's cookie. Couchbase Lite takes any.
    package var cookieName = "SyncGatewaySession"

    /// How long a session lasts from its last renewal on, in seconds.
    package var sessionTime: Int64 = 86_400

    /// Whether the cookie is for TLS alone even where the bridge itself is reached without, because a proxy in front of it has TLS.
    package var isCookieSecure = false

    /// Whether 401 answers ask for Basic credentials. 2.8 clients log in only then; in browsers it opens a dialogue.
    package var sendsChallenge = true

    /// How much work a password's check is. Hashes of another cost are made anew at the next login.
    package var passwordCost = ScryptCost.standard

    /// Whether administrators may make users without a password, who come in by sessions or tokens alone.
    package var allowsEmptyPasswords = false

    /// Which pages of other origins may ask.
    package var cors = CrossOriginPolicy()

    package init() {}
}

extension AccessConfiguration {
    /// How long a session that begins now may last, in seconds.
    ///
    /// - Parameter end: when the proof that it begins with ends, in seconds since 1970, if it does.
    /// - Throws: `LoginError` `refused` if that is now.
    package func sessionTime(until end: Int64?, now: Int64) throws(LoginError) -> Int64 {
        guard let end else { return sessionTime }
        guard end > now else { throw LoginError(.refused, "What was presented has ended; log in anew") }
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
