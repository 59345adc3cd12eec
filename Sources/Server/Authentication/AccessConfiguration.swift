public import Access

/// What the configuration says of logins to one database.
public struct AccessConfiguration: Hashable, Sendable {
    /// The name of the session's cookie. Couchbase Lite takes any.
    public var cookieName = "SyncGatewaySession"

    /// How long a session lasts from its last renewal on, in seconds.
    public var sessionTime: Int64 = 86_400

    /// Whether the cookie is for TLS alone even where the bridge itself is reached without, because a proxy in front of it has TLS.
    public var isCookieSecure = false

    /// Whether 401 answers ask for Basic credentials. 2.8 clients log in only then; in browsers it opens a dialogue.
    public var sendsChallenge = true

    /// How much work a password's check is. Hashes of another cost are made anew at the next login.
    public var passwordCost = ScryptCost.standard

    /// Whether administrators may make users without a password, who come in by sessions or tokens alone.
    public var allowsEmptyPasswords = false

    /// Which pages of other origins may ask.
    public var cors = CrossOriginPolicy()

    public init() {}
}

extension AccessConfiguration {
    /// How long a session that begins now may last, in seconds.
    ///
    /// - Parameter end: when the proof that it begins with ends, in seconds since 1970, if it does.
    /// - Throws: `LoginError` `refused` if that is now.
    func sessionTime(until end: Int64?, now: Int64) throws(LoginError) -> Int64 {
        guard let end else { return sessionTime }
        guard end > now else { throw LoginError(.refused, "What was presented has ended; log in anew") }
        return min(sessionTime, end - now)
    }
}
