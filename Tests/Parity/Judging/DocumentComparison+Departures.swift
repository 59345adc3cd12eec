/// Wanted differences of documents that leave channels: *departure in sight*, *left before*.
extension DocumentComparison {
    var isApartByDeparture: Bool {
        isLateDeparture || isBranchKept || isOlderDeparture || isLeftBefore
    }

    /// *departure in sight*: a Sync Gateway sends the departure behind the content that another grant has added, and so removes it.
    private var isLateDeparture: Bool {
        guard dialect == .gateway28, client.feed == .blip, let theirs = rows.gateway, let ours = rows.bridge,
            theirs.revisions == ours.revisions
        else {
            return false
        }
        return theirs.answers.isSuperset(of: ["200", "removed"]) && has.gateway == nil && !ours.answers.contains("removed")
            && has.bridge != nil
    }

    /// *departure in sight*: with the departure a Sync Gateway may remove invisible branches. They stay with a bridge's client, which goes on with
    /// the winner.
    private var isBranchKept: Bool {
        guard client.allLeaves, rows.gateway?.answers.isSuperset(of: ["200", "removed"]) == true else { return false }
        guard let theirs = has.gateway, let ours = has.bridge else { return false }
        return theirs.isStrictSubset(of: ours) && ours.subtracting(theirs).isSubset(of: (had.bridge ?? []).union(hadMeanwhile))
    }

    /// *left before*: a Sync Gateway also sends an older departure, with a replaced revision that the client may see. A bridge sends only the last
    /// departure. A client that has lost its position may get the older departure although it has later revisions. A real client has that revision
    /// among the ancestors, and does not request it.
    private var isOlderDeparture: Bool {
        guard let theirs = rows.gateway, areReplaced(has.gateway ?? theirs.revisions) else { return false }
        if let held = had.bridge, held == had.gateway, held == has.bridge {
            return past.areWritten(has.gateway ?? theirs.revisions, before: held, of: id, in: client.keyspace)
        }
        return rows.bridge == nil ? isNew : has.bridge == nil || isNew && isOutside(rows.bridge)
    }

    /// *left before*: both servers send deletions, and revisions that are in none of the requested channels, because the document has left them. Or
    /// only one server sends a departure: it contains branches, and the revision may still be in another of the channels.
    private var isLeftBefore: Bool {
        guard let asked = client.channels, isNew, past.hasBeen(in: Set(asked), id, client.keyspace) else { return false }
        if isOutside(rows.gateway), isOutside(rows.bridge) || rows.bridge?.isLoss(holding: has.bridge) == true { return true }
        let rows = [rows.gateway, rows.bridge].compactMap { $0 }
        return rows.count == 1 && asked.contains { rows[0].marks.contains("removed-\($0)") }
    }
}
