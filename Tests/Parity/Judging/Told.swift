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
    var isApart: Bool {
        isLossTold || isDepartureTold || isPassedOver || isBranchKept || hasMoreBranches || isOfGuest || isOfLateRole || isLateDeparture
            || isOlderDeparture
            || isLeftBefore || isGiverKept || isLeftBeforeRole || isOfOldRevision || isSeenBetween || isLostBetween
            || hasBranchesByEverything
    }

    /// Whether the Sync Gateway brings something that does not come from the bridge, or names what the client has while the bridge has taken it back.
    var isGivenByGatewayAlone: Bool {
        let (ours, theirs) = (has.bridge ?? [], has.gateway ?? [])
        if !theirs.subtracting(had.gateway ?? []).isSubset(of: ours) { return true }
        guard isInSight == true, let row = rows.gateway, !row.isNotice else { return false }
        let named = theirs.intersection(row.revisions)
        return !named.isEmpty && named.isDisjoint(with: ours)
    }

    /// Whether the bridge's row brings what the Sync Gateway's client never had, and what can be no branch that is in sight still.
    private var isBroughtByBridgeAlone: Bool {
        !(client.allLeaves && past.hasBranches(id, in: client.keyspace))
            && !(has.bridge ?? []).isSubset(of: (had.bridge ?? []).union(had.gateway ?? []).union(has.gateway ?? []))
    }

    private var isNew: Bool { had.gateway == nil && had.bridge == nil }

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

    /// *limit of active documents*: a Sync Gateway counts what has left, and so passes over documents.
    private var isPassedOver: Bool {
        client.activeOnly && client.limit != nil && client.feed != .blip && rows.gateway == nil && had.gateway == nil && isInSight == true
            && rows.bridge?.answers.contains("200") == true
    }

    /// *loss is told*: a Sync Gateway remembers what branches there were as the document left, or none.
    private var hasMoreBranches: Bool {
        guard let theirs = rows.gateway, let ours = rows.bridge, client.allLeaves else { return false }
        guard theirs.marks.contains(where: WantedDifference.isLoss), ours.revisions.count > theirs.revisions.count else { return false }
        return ours.revisions.isSuperset(of: theirs.revisions) || areReplaced(theirs.revisions)
    }

    /// *guest's feed*: it names what came into sight, and does not give it out; that of Sync Gateway 2.8 goes on as it began.
    private var isOfGuest: Bool {
        if hasLastingRights, rows.gateway == nil || rows.gateway?.answers.contains("200") == true, has.gateway != has.bridge { return true }
        guard client.user == Client.guest, client.feed == .blip, let theirs = rows.gateway, let ours = rows.bridge else { return false }
        // It may have brought the content before.
        return theirs.answers.contains("removed") && has.gateway == nil && ours.answers.contains("200")
            && theirs.revisions == ours.revisions
    }

    /// *late role*: a Sync Gateway counts the channels of a role that is made late from the documents that gave them, and those of a role that is given
    /// late from the role, where a client asks for certain channels.
    private var isOfLateRole: Bool {
        guard rows.gateway == nil, had.gateway == nil, rows.bridge?.answers.contains("200") == true else { return false }
        let channels = past.channels(ofRolesOf: client.user, areLate: client.channels == nil)
        return channels.contains("*") || has.bridge?.contains { isWritten($0, in: channels) } == true
    }

    /// *late role*: so such a client hears of what was deleted in these channels, or left them, before its user had them by the role.
    private var isLeftBeforeRole: Bool {
        guard rows.bridge == nil, had.gateway == had.bridge, let theirs = rows.gateway, !theirs.revisions.isEmpty,
            theirs.isLoss(holding: has.gateway) || isOutside(theirs)
        else { return false }
        return theirs.revisions.allSatisfy { past.hasBeen(in: lateChannels(behind: $0), id, client.keyspace) }
    }

    /// The channels of roles that a Sync Gateway has this client's user have before a bridge does, as far as they are asked for.
    private func lateChannels(behind name: String) -> Set<String> {
        guard let asked = client.channels else { return past.channels(ofRolesOf: client.user, areLate: true) }
        let late = past.channels(ofRolesOf: client.user, givenAfter: name, of: id, in: client.keyspace)
        return late.contains("*") ? Set(asked) : late.intersection(asked)
    }

    private func isWritten(_ name: String, in channels: Set<String>) -> Bool {
        past.channels(of: name, of: id, in: client.keyspace).map { !channels.isDisjoint(with: $0) } ?? false
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

    /// *seen between*: an open feed brings a document of a push that the next document of the push takes out of sight.
    private var isSeenBetween: Bool {
        guard [.blip, .continuous].contains(client.feed), has.bridge == nil, isInSight == false, let theirs = rows.gateway else {
            return false
        }
        return theirs.answers.contains("200")
            && theirs.revisions.contains { past.cameWithGiver(to: client.user, $0, of: id, in: client.keyspace) }
    }

    /// *seen between*: one server's answer with a limit has brought a branch that is out of sight by the time at which the other one's answer comes to it.
    private var isLostBetween: Bool {
        guard client.allLeaves else { return false }
        if isOld, let theirs = has.gateway, let ours = has.bridge, ours.isStrictSubset(of: theirs) {
            return rows.bridge?.answers.contains("404") == true && rows.bridge?.revisions == rows.gateway?.revisions
        }
        // It has named a branch that was out of sight by then, and has come into sight.
        if isOld, has.gateway == nil, let ours = has.bridge, let theirs = rows.gateway, ours.isStrictSubset(of: theirs.revisions) {
            return theirs.isLoss(holding: nil) && rows.bridge?.revisions == theirs.revisions && rows.bridge?.isNotice == true
        }
        let kept = hadMeanwhile.subtracting(has.gateway ?? [])
        return has.bridge == hadMeanwhile && had.bridge != hadMeanwhile && rows.gateway?.answers.contains("removed") == true
            && !kept.isEmpty
            && kept.allSatisfy { past.isFollowed($0, of: id, in: client.keyspace) }
    }

    /// *branches by everything*: with `*` branches come into sight, which a bridge brings to clients that ask for certain channels, too.
    private var hasBranchesByEverything: Bool {
        guard client.allLeaves, client.channels != nil, past.held(by: client.user).contains("*"), let theirs = has.gateway,
            let ours = has.bridge,
            theirs.isStrictSubset(of: ours), rows.bridge?.answers.contains("200") == true
        else { return false }
        return rows.gateway.map { $0.revisions == rows.bridge?.revisions } ?? (had.gateway == theirs && had.bridge == theirs)
    }

    /// *old revision*: the channels of its deletion may differ.
    private var isOfOldRevision: Bool {
        guard keepsTombstones else { return false }
        let names = (rows.gateway?.revisions ?? []).union(rows.bridge?.revisions ?? [])
        return names.contains { past.endsOldRevision($0, of: id, in: client.keyspace) }
    }

    private func isOutside(_ row: Observation.Row?) -> Bool {
        guard let row else { return true }
        guard let asked = client.channels.map({ past.reach(of: client.user, among: $0) }) else { return false }
        return row.revisions.allSatisfy { name in
            past.isDeletion(name, of: id, in: client.keyspace)
                || past.channels(of: name, of: id, in: client.keyspace).map { Set($0).isDisjoint(with: asked) } ?? false
        }
    }

    private func isDeletedSince(_ row: Observation.Row?) -> Bool {
        row?.revisions.contains { past.isDeleted(after: $0, of: id, in: client.keyspace) } ?? false
    }

    private func areReplaced(_ names: Set<String>) -> Bool {
        !names.isEmpty && names.allSatisfy { past.isReplaced($0, by: rows.bridge?.revisions ?? [], of: id, in: client.keyspace) }
    }
}

extension Observation.Row {
    /// Whether it says that the document is gone, or what has won of it.
    fileprivate var isNotice: Bool { marks.contains { $0 == "deleted" || WantedDifference.isLoss($0) } }

    /// Whether it takes the document from a client that has `held` after it.
    fileprivate func isLoss(holding held: Set<String>?) -> Bool { held == nil && (isNotice || answers.contains("removed")) }
}
