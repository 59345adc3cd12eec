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
