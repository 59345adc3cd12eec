package import Storage

/// A user or role with all properties and access, for administrators.
package struct Account: Sendable {
    package let grantee: Grantee

    /// `nil` for a role.
    package let user: User?

    /// The grants of the administrator's record.
    package let given: AdministratorGrants

    /// The access to each collection, including access by roles.
    package let access: [CollectionKey: ChannelAccess]

    /// All roles of a user, including roles granted by documents.
    package let roles: Set<String>

    init?(_ grantee: Grantee, in snapshot: any StoreSnapshot) throws {
        guard let record = try snapshot.principal(grantee) else { return nil }
        self.grantee = grantee
        user = grantee.kind == .user ? try User(record) : nil
        given = try AdministratorGrants.read(grantee, in: snapshot)
        access = try RightsReader.access(of: grantee, in: snapshot)
        roles = grantee.kind == .user ? try RightsReader.roles(of: grantee, in: snapshot) : []
    }
}

/// The grants in an administrator's record of a user or role.
package struct AdministratorGrants: Hashable, Sendable {
    /// Channels in the default collection and in every collection visible to legacy clients (`admin_channels`).
    package var channels: Set<String>

    /// Channels in single collections, which replace `channels` there (`collection_access`). An empty set grants nothing there.
    package var collections: [CollectionKey: Set<String>]

    /// A user's roles (`admin_roles`).
    package var roles: Set<String>

    package init(channels: Set<String> = [], collections: [CollectionKey: Set<String>] = [:], roles: Set<String> = []) {
        self.channels = channels
        self.collections = collections
        self.roles = roles
    }
}

extension AdministratorGrants {
    /// Reads the administrator's grants.
    static func read(_ grantee: Grantee, in snapshot: any StoreSnapshot) throws -> AdministratorGrants {
        try read(from: .administrator(grantee), in: snapshot)
    }

    /// Reads the grants of an administrator or a login.
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

    /// The grants of a user's or role's record. A role is granted to itself while it exists.
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
