import HTTP

/// A session that was just made.
struct IssuedSession: Sendable {
    let id: String
    let cookie: SetCookie

    /// What `GET /db/_session` will answer: the answer to logins, too (docs/protocol/legacy-1x.md#token-logins).
    let body: [UInt8]
}
