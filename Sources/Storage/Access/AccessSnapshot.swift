/// What a store knows of users, roles, grants and sessions, in one consistent state.
public protocol AccessSnapshot {
    /// Another number after every change to principals or grants. Those who keep what they worked out from them keep it under this number.
    ///
    /// `nil` in a transaction that has made such a change: it may yet be undone, so what is worked out from it must not be kept.
    var accessVersion: Int64? { get throws }

    /// Whether nothing has changed of these users and roles, and of what concerns everybody, since an ``accessVersion``.
    func isAccessUnchanged(of grantees: Set<Grantee>, since version: Int64) throws -> Bool

    func principal(_ grantee: Grantee) throws -> PrincipalRecord?
    /// The user with this email; the one that was created first, if there are several.
    func user(email: String) throws -> PrincipalRecord?
    /// The names of users with this email, in the order in which they were created.
    func userNames(email: String, limit: Int) throws -> [String]
    /// Users or roles by the bytes of their names.
    func principals(_ kind: PrincipalKind, after name: String, limit: Int) throws -> [PrincipalRecord]

    /// Everything that somebody was given, what was taken away again included.
    func grants(to grantee: Grantee) throws -> [GrantRecord]
    /// What one source gives.
    func grants(from source: GrantSource) throws -> [Grant]

    /// Whether a device may hold a place in a feed of this store, or documents that it has pushed. Until then nobody can have read past a grant, or lose
    /// anything.
    var hasReaders: Bool { get throws }

    func session(_ key: [UInt8]) throws -> SessionRecord?
}

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
    func setGrants(_ grants: Set<Grant>, from source: GrantSource, at sequence: @autoclosure () throws -> SequenceNumber) throws -> Bool

    /// Raises what a grantee has of a channel, whoever gave it, to a later sequence: feeds that are before it go back for the channel once more.
    func raiseGrants(of channel: String, to grantee: Grantee, at sequence: SequenceNumber) throws

    /// Notes that a device is going to read a feed, and so will hold a place in it, or to push.
    func recordReader() throws

    /// Adds a session, or changes when it expires.
    func setSession(_ session: SessionRecord) throws
    /// - Returns: Whether it was there.
    @discardableResult
    func removeSession(_ key: [UInt8]) throws -> Bool
    func removeSessions(of user: String) throws
    /// Forgets sessions that expired before `time`, at most `limit`.
    func removeSessions(expiredBefore time: Int64, limit: Int) throws
}
