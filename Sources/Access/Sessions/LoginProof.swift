public import Storage

/// What a login stands on, for connections that last: they end when it does.
public struct LoginProof: Hashable, Sendable {
    public let user: String

    /// The user's ``User/sessionGeneration``: a new password, and the end of all sessions, give another.
    let generation: Int64

    /// Under what the store keeps the session; `nil` for logins that need none, or used theirs up.
    let session: [UInt8]?

    /// - Parameter session: The session that has to go on. Not one that ends with its first use.
    public init(_ user: User, session: SessionID? = nil) {
        self.user = user.name
        generation = user.sessionGeneration
        self.session = session?.key
    }

    /// Until when the session was to last as it was seen last, in milliseconds since 1970.
    public typealias Term = Int64

    /// How long the login's session lasts; `nil` if the login was ended by a new password or the end of the session.
    ///
    /// A session that has merely expired counts as one that goes on: nobody has taken from its owner what it opened. So does the login of an account that is
    /// disabled or gone: what it opened finds out by itself, and breaks off without an orderly end, which would say that this was all.
    ///
    /// - Parameters:
    ///   - term: What was answered the last time; `.max` the first time.
    ///   - now: Milliseconds since 1970.
    public func term(in snapshot: any StoreSnapshot, since term: Term = .max, now: Int64) throws -> Term? {
        guard let found = try snapshot.principal(.user(user)).map({ try User($0) }), !found.isDisabled else { return term }
        guard found.sessionGeneration == generation else { return nil }
        guard let session else { return .max }
        if let expires = try snapshot.session(session)?.expires { return expires }
        return now < term ? nil : term
    }
}
