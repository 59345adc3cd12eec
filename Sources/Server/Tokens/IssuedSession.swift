import HTTP

/// A session that was just made.
struct IssuedSession: Sendable {
    let id: String
    let cookie: SetCookie

    /// What `GET /db/_session` will answer: the answer to logins, too (legacy-1x 10.4).
    let body: [UInt8]
}
