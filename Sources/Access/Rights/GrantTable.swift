import Storage

/// The grants of one user or role, by kind, with their spans.
///
/// The collections in which a grant holds are our own decision, because Sync Gateway has no unified keyspace:
/// - A grant for the default collection holds in every collection, whether legacy clients see it or not. So a document that moves from the default
///   collection into another stays visible to the same users, and an old and a new app of one user see the same documents.
/// - If an administrator has set access for such a collection, it replaces his grants for the default collection there.
/// - A grant for a named collection holds in that collection only.
struct GrantTable {
    private typealias Channels = [String: GrantSpans]

    /// The roles. A role is granted to itself while it exists.
    private(set) var roles: [String: GrantSpans] = [:]

    /// The collections for which an administrator has set access.
    private var ownAccess: [CollectionKey: GrantSpans] = [:]

    /// Channels granted by administrators in the default collection.
    private var general: Channels = [:]

    /// Channels by the collection of the grant, except for those in `general`.
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

    /// The current roles, whether they exist or not: sync functions check names.
    var heldRoles: Set<String> { Set(roles.filter { $0.value.heldSince != nil }.keys) }

    /// The channels in a collection, with their spans.
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
