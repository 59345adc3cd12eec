/// The rows of both servers about one document for a client, with the client's revisions before and after them.
struct DocumentComparison {
    typealias Both<Value> = (gateway: Value, bridge: Value)

    let id: String
    let client: Client
    let rows: Both<Observation.Row?>
    let had: Both<Set<String>?>
    let has: Both<Set<String>?>

    /// The revisions of the bridge's client after limited replies.
    let hadMeanwhile: Set<String>

    /// Whether the Sync Gateway's row was in a limited reply, and no later reply has one.
    let isOld: Bool

    /// Whether the Sync Gateway uses the guest's access from the time of the connection.
    let hasLastingRights: Bool
    let dialect: Dialect

    /// Whether the sync function leaves tombstones in the channels of the deleted revision.
    let keepsTombstones: Bool

    /// Whether the client's user may see the document, by the Sync Gateway's list; `nil` without a list.
    let isInSight: Bool?
    let past: Past

    /// Whether a wanted difference applies, so that the client goes on with different revisions.
    var isApart: Bool { isApartByLoss || isApartByDeparture || isApartByGrant }

    /// Whether the Sync Gateway sends a revision that the bridge does not send, or names the client's revision after the bridge has removed it.
    var isGivenByGatewayAlone: Bool {
        let (ours, theirs) = (has.bridge ?? [], has.gateway ?? [])
        if !theirs.subtracting(had.gateway ?? []).isSubset(of: ours) { return true }
        guard isInSight == true, let row = rows.gateway, !row.isNotice else { return false }
        let named = theirs.intersection(row.revisions)
        return !named.isEmpty && named.isDisjoint(with: ours)
    }

    /// Whether the bridge's row adds a revision that the Sync Gateway's client never had, and that is not a branch that may still be visible.
    var isBroughtByBridgeAlone: Bool {
        !(client.allLeaves && past.hasBranches(id, in: client.keyspace))
            && !(has.bridge ?? []).isSubset(of: (had.bridge ?? []).union(had.gateway ?? []).union(has.gateway ?? []))
    }

    var isNew: Bool { had.gateway == nil && had.bridge == nil }

    /// Whether all revisions of a row are deleted, or in none of the requested channels.
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
    /// Whether the row reports that the document, or its winner, is gone.
    var isNotice: Bool { marks.contains { $0 == "deleted" || WantedDifference.isLoss($0) } }

    /// Whether the row removes the document from a client that has `held` after it.
    func isLoss(holding held: Set<String>?) -> Bool { held == nil && (isNotice || answers.contains("removed")) }
}
