/// What can be changed of users, roles, grants and sessions.
public protocol AccessTransaction: AccessSnapshot {
    /// Adds a user or role, or changes it.
    func setPrincipal(_ principal: PrincipalRecord) throws
    /// Forgets a user or role. What it was given stays, and is there again if it comes back.
    func removePrincipal(_ grantee: Grantee) throws

    /// Sets everything that one source gives.
    ///
    /// What it gives for the first time is given with `sequence`. What it no longer gives is lost with `sequence`, and remembered as such, if
    /// no other source of its kind still gives the same; if one does, it has been given without a break. What stays, stays since when it was.
    ///
    /// - Returns: Whether anything has changed; if not, `sequence` was not used.
    @discardableResult
    func setGrants(_ grants: Set<Grant>, from source: GrantSource, at sequence: @autoclosure () throws -> Sequence) throws -> Bool

    /// Raises what a grantee has of a channel, whoever gave it, to a later sequence: feeds that are before it go back for the channel once more.
    func raiseGrants(of channel: String, to grantee: Grantee, at sequence: Sequence) throws

    /// Notes that a device is going to read a feed, and so will hold a place in it, or to push.
    func noteReader() throws

    /// Adds a session, or changes when it expires.
    func setSession(_ session: SessionRecord) throws
    /// - Returns: Whether it was there.
    @discardableResult
    func removeSession(_ key: [UInt8]) throws -> Bool
    func removeSessions(of user: String) throws
    /// Forgets sessions that expired before `time`, at most `limit`.
    func removeSessions(expiredBefore time: Int64, limit: Int) throws
}
