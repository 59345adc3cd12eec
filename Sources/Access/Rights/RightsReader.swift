package import Storage

/// Derives the current and past access of users and roles from their grants.
///
/// Cost: the rows of the user's own grants and of those of his roles, independent of the number of documents and of other users.
package enum RightsReader {
    /// The rights of a principal.
    ///
    /// - Throws: ``AccessError`` `accountGone` if the user does not exist, and `accountDisabled` if the user or guest is disabled: his connections
    ///   have to be closed. Also errors of the store.
    package static func rights(of principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        guard let grantee = principal.grantee else { return .administrator }
        guard let record = try snapshot.principal(grantee) else {
            throw AccessError(.accountGone, "\(grantee) no longer exists")
        }
        let user = try User(record)
        guard !user.isDisabled else { throw AccessError(.accountDisabled, "\(grantee) is disabled") }
        let table = GrantTable(try snapshot.grants(to: grantee))
        return Rights(
            principal: principal, roles: table.heldRoles, grantees: Set(table.roles.keys.map(Grantee.role)).union([grantee]),
            collections: try access(table, inheriting: true, in: snapshot), sessionGeneration: user.sessionGeneration)
    }

    /// The access of a user or role to each collection, whether or not it exists and is enabled.
    package static func access(of grantee: Grantee, in snapshot: any StoreSnapshot) throws -> [CollectionKey: ChannelAccess] {
        try access(GrantTable(try snapshot.grants(to: grantee)), inheriting: grantee.kind == .user, in: snapshot)
    }

    /// The roles of a user, whether they exist or not.
    package static func roles(of grantee: Grantee, in snapshot: any StoreSnapshot) throws -> Set<String> {
        GrantTable(try snapshot.grants(to: grantee)).heldRoles
    }

    private static func access(
        _ own: GrantTable, inheriting: Bool, in snapshot: any StoreSnapshot
    ) throws -> [CollectionKey: ChannelAccess] {
        var roles: [(held: GrantSpans, table: GrantTable)] = []
        for (name, given) in inheriting ? own.roles : [:] {
            let table = GrantTable(try snapshot.grants(to: .role(name)))
            guard let existence = table.roles[name] else { continue }
            roles.append((given.intersection(existence), table))
        }
        var result: [CollectionKey: ChannelAccess] = [:]
        for collection in try snapshot.collections() {
            var channels = own.channels(in: collection)
            for role in roles {
                // Access by a role holds while the user has the role and the role has the channel.
                let inherited = role.table.channels(in: collection).mapValues { $0.intersection(role.held) }
                channels.merge(inherited) { $0.union($1) }
            }
            result[collection.key] = ChannelAccess(channels)
        }
        return result
    }
}

extension ChannelAccess {
    /// `!` is accessible to everyone, so it is never granted or lost.
    fileprivate init(_ spans: [String: GrantSpans]) {
        self.init(channels: [Self.everyone: .zero])
        for (channel, spans) in spans where channel != Self.everyone {
            channels[channel] = spans.heldSince
            // Also for a channel that was granted again: a document may have left it in between.
            lost += spans.ended.map { LostChannel(channel: channel, granted: $0.granted, lost: $0.lost) }
        }
        lost.sort { ($0.lost, $0.channel, $0.granted) < ($1.lost, $1.channel, $1.granted) }
    }
}
