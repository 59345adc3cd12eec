package import Storage

/// The basis of a login, for long-lived connections: they end when it becomes invalid.
package struct LoginProof: Hashable, Sendable {
    package let user: String

    /// The user's ``User/sessionGeneration``. A new password, and the end of all sessions, change it.
    let generation: Int64

    /// The store's key of the session; `nil` for logins without a session, or with a session for one use.
    let session: [UInt8]?

    /// - Parameter session: The store's key of the session that has to stay valid. Not a session for one use.
    package init(_ user: User, session: [UInt8]? = nil) {
        self.user = user.name
        generation = user.sessionGeneration
        self.session = session
    }

    /// The last known expiry of the session, in milliseconds since 1970.
    package typealias Term = Int64

    /// The expiry of the login's session; `nil` if a new password or the end of the session has ended the login.
    ///
    /// Two kinds of login count as continuing:
    /// - A session that has merely expired, because nobody has revoked its connections.
    /// - The login of a disabled or deleted account. Its connections detect that themselves and abort. An orderly end would tell the client that it
    ///   has received everything.
    ///
    /// - Parameters:
    ///   - term: The result of the previous call; `.max` at first.
    ///   - now: Milliseconds since 1970.
    package func term(in snapshot: any StoreSnapshot, since term: Term = .max, now: Int64) throws -> Term? {
        guard let found = try snapshot.principal(.user(user)).map({ try User($0) }), !found.isDisabled else { return term }
        guard found.sessionGeneration == generation else { return nil }
        guard let session else { return .max }
        if let expires = try snapshot.session(session)?.expires { return expires }
        return now < term ? nil : term
    }
}
