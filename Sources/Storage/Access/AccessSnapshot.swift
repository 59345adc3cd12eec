/// The users, roles, grants and sessions of a store, in one consistent state.
package protocol AccessSnapshot {
    /// Changes with every change to principals or grants. Caches of derived rights use it as their key.
    ///
    /// `nil` in a transaction that has made such a change: the change may be rolled back, so results derived from it must not be cached.
    var accessVersion: Int64? { get throws }

    /// Whether neither these users and roles nor the access of everyone has changed since an ``accessVersion``.
    func isAccessUnchanged(of grantees: Set<Grantee>, since version: Int64) throws -> Bool

    func principal(_ grantee: Grantee) throws -> PrincipalRecord?
    /// The user with this email. If several users have it, the one that was created first.
    func user(email: String) throws -> PrincipalRecord?
    /// The names of users with this email, in the order in which they were created.
    func userNames(email: String, limit: Int) throws -> [String]
    /// Users or roles in the byte order of their names.
    func principals(_ kind: PrincipalKind, after name: String, limit: Int) throws -> [PrincipalRecord]

    /// All grants of a user or role, including the lost ones.
    func grants(to grantee: Grantee) throws -> [GrantRecord]
    /// All grants of one source.
    func grants(from source: GrantSource) throws -> [Grant]

    /// Whether a client may have read a feed of this store or pushed documents to it. Until then no client can be past a grant or lose access.
    var hasReaders: Bool { get throws }

    func session(_ key: [UInt8]) throws -> SessionRecord?
}

/// Changes to users, roles, grants and sessions.
package protocol AccessTransaction: AccessSnapshot {
    /// Adds a user or role, or changes it.
    func setPrincipal(_ principal: PrincipalRecord) throws
    /// Deletes a user or role. Its grants stay, and are in effect again if it is created again.
    func removePrincipal(_ grantee: Grantee) throws

    /// Replaces all grants of one source.
    ///
    /// - A new grant starts at `sequence`.
    /// - A removed grant ends at `sequence` and is stored as lost, unless another source of the same kind still makes it. In that case it continues
    ///   without a break.
    /// - An unchanged grant keeps its start.
    ///
    /// - Returns: Whether anything changed. If not, `sequence` was not used.
    @discardableResult
    func setGrants(_ grants: Set<Grant>, from source: GrantSource, at sequence: @autoclosure () throws -> SequenceNumber) throws -> Bool

    /// Moves the start of all grants of a channel to a later sequence, whatever their source. Feeds that have not reached it send the channel's
    /// documents once more.
    func raiseGrants(of channel: String, to grantee: Grantee, at sequence: SequenceNumber) throws

    /// Records that a client is about to read a feed or to push. See ``AccessSnapshot/hasReaders``.
    func recordReader() throws

    /// Adds a session, or changes its expiry.
    func setSession(_ session: SessionRecord) throws
    /// - Returns: Whether the session existed.
    @discardableResult
    func removeSession(_ key: [UInt8]) throws -> Bool
    func removeSessions(of user: String) throws
    /// Deletes sessions that expired before `time`, at most `limit`.
    func removeSessions(expiredBefore time: Int64, limit: Int) throws
}
