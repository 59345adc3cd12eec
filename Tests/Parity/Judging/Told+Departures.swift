/// Wanted differences of documents that leave channels: *departure in sight*, *left before*.
extension Told {
    var isApartByDeparture: Bool {
        isLateDeparture || isBranchKept || isOlderDeparture || isLeftBefore
    }

    /// *departure in sight*: a Sync Gateway tells of the departure behind the content that another grant has brought, and so takes it back.
    private var isLateDeparture: Bool {
        guard dialect == .gateway28, client.feed == .blip, let theirs = rows.gateway, let ours = rows.bridge,
            theirs.revisions == ours.revisions
        else {
            return false
        }
        return theirs.answers.isSuperset(of: ["200", "removed"]) && has.gateway == nil && !ours.answers.contains("removed")
            && has.bridge != nil
    }

    /// *departure in sight*: with it a Sync Gateway may take back branches that are out of sight. They stay with a bridge's client, which goes on with what has won.
    private var isBranchKept: Bool {
        guard client.allLeaves, rows.gateway?.answers.isSuperset(of: ["200", "removed"]) == true else { return false }
        guard let theirs = has.gateway, let ours = has.bridge else { return false }
        return theirs.isStrictSubset(of: ours) && ours.subtracting(theirs).isSubset(of: (had.bridge ?? []).union(hadMeanwhile))
    }

    /// *left before*: an older departure, in front of the last one, with a revision that the client may see and that is replaced. A bridge tells the last one alone.
    /// A client that has lost its place may be told of the older one although it has what came after it. A real one has that among the ancestors, and does not ask.
    private var isOlderDeparture: Bool {
        guard let theirs = rows.gateway, areReplaced(has.gateway ?? theirs.revisions) else { return false }
        if let held = had.bridge, held == had.gateway, held == has.bridge {
            return past.areWritten(has.gateway ?? theirs.revisions, before: held, of: id, in: client.keyspace)
        }
        return rows.bridge == nil ? isNew : has.bridge == nil || isNew && isOutside(rows.bridge)
    }

    /// *left before*: both tell of revisions that are in none of the channels that the client asks for, because the document has left them, and of deletions.
    /// Or one alone tells of a departure: with it come branches, and the revision may still be in another of the channels.
    private var isLeftBefore: Bool {
        guard let asked = client.channels, isNew, past.hasBeen(in: Set(asked), id, client.keyspace) else { return false }
        if isOutside(rows.gateway), isOutside(rows.bridge) || rows.bridge?.isLoss(holding: has.bridge) == true { return true }
        let rows = [rows.gateway, rows.bridge].compactMap { $0 }
        return rows.count == 1 && asked.contains { rows[0].marks.contains("removed-\($0)") }
    }
}
