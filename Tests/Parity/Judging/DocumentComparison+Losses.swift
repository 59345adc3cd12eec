/// Wanted differences of losses and deletions: *loss is told*, *old revision*.
extension DocumentComparison {
    var isApartByLoss: Bool {
        isLossReported || isGiverKept || isDepartureReported || hasMoreBranches || isOfOldRevision
    }

    /// *loss is told*: only the bridge removes the document.
    private var isLossReported: Bool {
        // A document that was lost and returned is sent without the branches that are still invisible.
        if client.feed != .blip, let ours = rows.bridge, ours.answers.contains("removed"), let mine = has.bridge, let more = has.gateway,
            mine.isStrictSubset(of: more)
        {
            return true
        }
        guard let ours = rows.bridge, ours.isLoss(holding: has.bridge) || ours.isNotice && !isBroughtByBridgeAlone else { return false }
        // Both have sent the document before, or the Sync Gateway did in a limited reply, or it named the document before it became invisible.
        let isGiven =
            rows.gateway.map { !$0.isLoss(holding: has.gateway) && (ours.answers.contains("200") || isOld || isInSight == false) } ?? true
        // A Sync Gateway also omits deletions of a newly granted channel.
        if isGiven, client.feed != .blip || ours.marks.contains("deleted") { return true }
        // It also omits some losses for clients with revocations, and for 2.x clients.
        guard isGiven, isInSight == false else { return false }
        return ours.marks.contains("revoked") || client.revocations && ours.marks.contains("removed")
            || dialect == .gateway28 && ours.answers.contains("removed")
    }

    /// *loss is told*: a document withdraws its grant, and leaves the channels by which it was visible. A Sync Gateway's open feeds of named
    /// collections send the departure to a client without revocations. A bridge leaves the document on the client, like every lost document.
    private var isGiverKept: Bool {
        guard dialect.hasCollections, client.feed == .blip, !client.revocations, isInSight == false, let theirs = rows.gateway else {
            return false
        }
        return theirs.answers.contains("removed") && has.gateway == nil && has.bridge != nil && rows.bridge?.isNotice != true
            && past.hasGiven(to: client.user, id, client.keyspace)
    }

    /// *loss is told*: a bridge reports to a client that asks for certain channels that a document has left them, also after the user has lost and
    /// regained channels, and after a later deletion. The client gets the present document, or the departed revision.
    private var isDepartureReported: Bool {
        guard rows.gateway == nil, rows.bridge != nil, let had = had.gateway, had == self.had.bridge,
            let asked = client.channels, isInSight == true || isDeletedSince(rows.bridge)
        else { return false }
        return isOutside(rows.bridge) && past.hasBeen(in: Set(asked), id, client.keyspace)
    }

    /// *loss is told*: a Sync Gateway sends the branches from the time of the departure, or none.
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
