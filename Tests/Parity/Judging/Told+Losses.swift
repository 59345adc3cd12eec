/// Wanted differences of losses and deletions: *loss is told*, *old revision*.
extension Told {
    var isApartByLoss: Bool {
        isLossTold || isGiverKept || isDepartureTold || hasMoreBranches || isOfOldRevision
    }

    /// *loss is told*: the bridge alone takes a document back.
    private var isLossTold: Bool {
        // A document that was lost and came back comes without the branches that are still out of sight.
        if client.feed != .blip, let ours = rows.bridge, ours.answers.contains("removed"), let mine = has.bridge, let more = has.gateway,
            mine.isStrictSubset(of: more)
        {
            return true
        }
        guard let ours = rows.bridge, ours.isLoss(holding: has.bridge) || ours.isNotice && !isBroughtByBridgeAlone else { return false }
        // Both have given it before, or the Sync Gateway did in an answer that had an end, or named what was there before it went out of sight.
        let isGiven =
            rows.gateway.map { !$0.isLoss(holding: has.gateway) && (ours.answers.contains("200") || isOld || isInSight == false) } ?? true
        // Nor does a Sync Gateway tell of deletions when a channel is granted that has them.
        if isGiven, client.feed != .blip || ours.marks.contains("deleted") { return true }
        // Nor of all that a client must not have any more which wants to be told of losses, or is of 2.x.
        guard isGiven, isInSight == false else { return false }
        return ours.marks.contains("revoked") || client.revocations && ours.marks.contains("removed")
            || dialect == .gateway28 && ours.answers.contains("removed")
    }

    /// *loss is told*: a document takes away what it had given, and leaves the channels by which it was seen. Open feeds of named collections tell a client without
    /// revocations of the departure. A bridge leaves it with the client, as everything that is lost.
    private var isGiverKept: Bool {
        guard dialect.hasCollections, client.feed == .blip, !client.revocations, isInSight == false, let theirs = rows.gateway else {
            return false
        }
        return theirs.answers.contains("removed") && has.gateway == nil && has.bridge != nil && rows.bridge?.isNotice != true
            && past.hasGiven(to: client.user, id, client.keyspace)
    }

    /// *loss is told*: a client that asks for certain channels is told that a document has left them, whatever its user has lost and got again meanwhile, and
    /// whether the document was deleted after that. It gets the document as it is now, or as it left.
    private var isDepartureTold: Bool {
        guard rows.gateway == nil, rows.bridge != nil, let had = had.gateway, had == self.had.bridge,
            let asked = client.channels, isInSight == true || isDeletedSince(rows.bridge)
        else { return false }
        return isOutside(rows.bridge) && past.hasBeen(in: Set(asked), id, client.keyspace)
    }

    /// *loss is told*: a Sync Gateway remembers what branches there were as the document left, or none.
    private var hasMoreBranches: Bool {
        guard let theirs = rows.gateway, let ours = rows.bridge, client.allLeaves else { return false }
        guard theirs.marks.contains(where: WantedDifference.isLoss), ours.revisions.count > theirs.revisions.count else { return false }
        return ours.revisions.isSuperset(of: theirs.revisions) || areReplaced(theirs.revisions)
    }

    /// *old revision*: the channels of its deletion may differ.
    private var isOfOldRevision: Bool {
        guard keepsTombstones else { return false }
        let names = (rows.gateway?.revisions ?? []).union(rows.bridge?.revisions ?? [])
        return names.contains { past.endsOldRevision($0, of: id, in: client.keyspace) }
    }
}
