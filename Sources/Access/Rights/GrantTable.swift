import Storage

/// What one user or role was given, by what it is, and when.
///
/// Which collections a grant holds in is ours to say, because Sync Gateway has no unified keyspace: what is given for the default
/// collection holds in every collection, whether legacy clients see it or not. So a document that moves from the default collection into another
/// stays visible to the same people, and an old and a new app of one user see the same documents. Where an administrator
/// has said what somebody may see in one such collection, this replaces what he has said for the default one. What is given for a named
/// collection holds there alone.
struct GrantTable {
    private typealias Channels = [String: GrantSpans]

    /// Which roles. A role has itself while it is there.
    private(set) var roles: [String: GrantSpans] = [:]

    /// Where an administrator has said what holds, and when.
    private var ownAccess: [CollectionKey: GrantSpans] = [:]

    /// Channels given by administrators for the default collection.
    private var general: Channels = [:]

    /// Channels by the collection that they were given for, but those in `general`.
    private var channels: [CollectionKey: Channels] = [:]

    init(_ grants: [GrantRecord]) {
        for grant in grants {
            if case .channel(let name, _) = grant.permission, CollectionChannel.isOne(name) { continue }
            switch grant.permission {
            case .role(let name):
                roles[name, default: GrantSpans()].add(from: grant.granted, until: grant.lost)
            case .ownAccess(let collection):
                ownAccess[collection, default: GrantSpans()].add(from: grant.granted, until: grant.lost)
            case .channel(let name, .default) where grant.giver == .administrator:
                general[name, default: GrantSpans()].add(from: grant.granted, until: grant.lost)
            case .channel(let name, let collection):
                channels[collection, default: [:]][name, default: GrantSpans()].add(from: grant.granted, until: grant.lost)
            }
        }
    }

    /// The roles that are held, whether they are there or not: sync functions ask for names.
    var heldRoles: Set<String> { Set(roles.filter { $0.value.heldSince != nil }.keys) }

    /// Which channels of a collection, and when.
    func channels(in collection: CollectionRecord) -> [String: GrantSpans] {
        var result = channels[collection.key] ?? [:]
        if collection.key != .default, let own = result[collection.name] { result[CollectionChannel.name(of: collection.name)] = own }
        if collection.key != .default, let given = channels[.default] {
            result.merge(given) { $0.union($1) }
        }
        guard collection.key != .default, let own = ownAccess[collection.key] else {
            return result.merging(general) { $0.union($1) }
        }
        return result.merging(general.mapValues { $0.subtracting(own) }) { $0.union($1) }
    }
}
