/// What both servers have told a client of a document, with what the client had before and has after it.
struct Told {
    typealias Both<Value> = (gateway: Value, bridge: Value)

    let id: String
    let client: Client
    let rows: Both<Observation.Row?>
    let had: Both<Set<String>?>
    let has: Both<Set<String>?>

    /// What the bridge's client had after answers with a limit.
    let hadMeanwhile: Set<String>

    /// Whether the Sync Gateway's row came in an answer with a limit, and nothing after it.
    let isOld: Bool

    /// Whether the Sync Gateway goes by what the guest might see when the client connected.
    let hasLastingRights: Bool
    let dialect: Dialect

    /// Whether the sync function leaves tombstones in the channels of what they delete.
    let keepsTombstones: Bool

    /// Whether the client's user may see the document, as the Sync Gateway's list has it; `nil` where there is none.
    let isInSight: Bool?
    let past: Past

    /// Whether it is wanted to be different, so that the client goes on with other revisions.
    var isApart: Bool { isApartByLoss || isApartByDeparture || isApartByGrant }

    /// Whether the Sync Gateway brings something that does not come from the bridge, or names what the client has while the bridge has taken it back.
    var isGivenByGatewayAlone: Bool {
        let (ours, theirs) = (has.bridge ?? [], has.gateway ?? [])
        if !theirs.subtracting(had.gateway ?? []).isSubset(of: ours) { return true }
        guard isInSight == true, let row = rows.gateway, !row.isNotice else { return false }
        let named = theirs.intersection(row.revisions)
        return !named.isEmpty && named.isDisjoint(with: ours)
    }

    /// Whether the bridge's row brings what the Sync Gateway's client never had, and what can be no branch that is in sight still.
    var isBroughtByBridgeAlone: Bool {
        !(client.allLeaves && past.hasBranches(id, in: client.keyspace))
            && !(has.bridge ?? []).isSubset(of: (had.bridge ?? []).union(had.gateway ?? []).union(has.gateway ?? []))
    }

    var isNew: Bool { had.gateway == nil && had.bridge == nil }

    /// Whether all that a row names is deleted, or in none of the channels that the client asks for.
    func isOutside(_ row: Observation.Row?) -> Bool { row.map { $0.revisions.allSatisfy(isOutside) } ?? true }

    func isOutside(_ name: String) -> Bool {
        guard let asked = client.channels.map({ past.reach(of: client.user, among: $0) }) else { return false }
        return past.isDeletion(name, of: id, in: client.keyspace)
            || past.channels(of: name, of: id, in: client.keyspace).map { Set($0).isDisjoint(with: asked) } ?? false
    }

    func isWritten(_ name: String, in channels: Set<String>) -> Bool {
        past.channels(of: name, of: id, in: client.keyspace).map { !channels.isDisjoint(with: $0) } ?? false
    }

    func isDeletedSince(_ row: Observation.Row?) -> Bool {
        row?.revisions.contains { past.isDeleted(after: $0, of: id, in: client.keyspace) } ?? false
    }

    func areReplaced(_ names: Set<String>) -> Bool {
        !names.isEmpty && names.allSatisfy { past.isReplaced($0, by: rows.bridge?.revisions ?? [], of: id, in: client.keyspace) }
    }
}

extension Observation.Row {
    /// Whether it says that the document is gone, or what has won of it.
    var isNotice: Bool { marks.contains { $0 == "deleted" || WantedDifference.isLoss($0) } }

    /// Whether it takes the document from a client that has `held` after it.
    func isLoss(holding held: Set<String>?) -> Bool { held == nil && (isNotice || answers.contains("removed")) }
}
