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

/// What an administrator's record of a user or role gives.
public struct AdministratorGrants: Hashable, Sendable {
    /// Channels of the default collection and of every collection that legacy clients see (`admin_channels`).
    public var channels: Set<String>

    /// Channels of single collections, in place of `channels` there (`collection_access`). None means that nothing is given there.
    public var collections: [CollectionKey: Set<String>]

    /// A user's roles (`admin_roles`).
    public var roles: Set<String>

    public init(channels: Set<String> = [], collections: [CollectionKey: Set<String>] = [:], roles: Set<String> = []) {
        self.channels = channels
        self.collections = collections
        self.roles = roles
    }
}

extension AdministratorGrants {
    /// Reads what the store holds.
    static func read(_ grantee: Grantee, in snapshot: any StoreSnapshot) throws -> AdministratorGrants {
        try read(from: .administrator(grantee), in: snapshot)
    }

    /// Reads what somebody else than documents gives.
    static func read(from source: GrantSource, in snapshot: any StoreSnapshot) throws -> AdministratorGrants {
        var result = AdministratorGrants()
        for grant in try snapshot.grants(from: source) {
            switch grant.permission {
            case .channel(let name, .default): result.channels.insert(name)
            case .channel(let name, let collection): result.collections[collection, default: []].insert(name)
            case .ownAccess(let collection): result.collections[collection, default: []].formUnion([])
            case .role(let name): if grant.grantee.kind == .user { result.roles.insert(name) }
            }
        }
        return result
    }

    /// The grants of a user's or role's record. A role has itself for as long as it is there.
    func grants(to grantee: Grantee) -> Set<Grant> {
        var permissions = channels.map { Permission.channel($0.composed, .default) }
        for (collection, channels) in collections {
            permissions.append(.ownAccess(collection))
            permissions += channels.map { .channel($0.composed, collection) }
        }
        switch grantee.kind {
        case .user: permissions += roles.map { .role($0) }
        case .role: permissions.append(.role(grantee.name))
        }
        return Set(permissions.map { Grant(to: grantee, $0) })
    }

    /// - Throws: ``AccessError`` `badRequest` if a name is not allowed.
    func validate() throws(AccessError) {
        for channel in channels { try AccountName.validate(channel: channel) }
        for channels in collections.values {
            for channel in channels { try AccountName.validate(channel: channel) }
        }
        for role in roles { try AccountName.validate(role) }
    }
}
