public import Storage

/// Everything about a user or role, for administrators.
public struct Account: Sendable {
    public let grantee: Grantee

    /// `nil` for a role.
    public let user: User?

    /// What the administrator's record gives.
    public let given: AdministratorGrants

    /// What can be seen in each collection, roles included.
    public let access: [CollectionKey: ChannelAccess]

    /// All roles of a user, those that documents give included.
    public let roles: Set<String>

    init?(_ grantee: Grantee, in snapshot: any StoreSnapshot) throws {
        guard let record = try snapshot.principal(grantee) else { return nil }
        self.grantee = grantee
        user = grantee.kind == .user ? try User(record) : nil
        given = try AdministratorGrants.read(grantee, in: snapshot)
        access = try RightsReader.access(of: grantee, in: snapshot)
        roles = grantee.kind == .user ? try RightsReader.roles(of: grantee, in: snapshot) : []
    }
}
