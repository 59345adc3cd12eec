/// Wanted differences of what comes into sight: *late role*, *guest's feed*, *limit of active documents*, *seen between*, *branches by everything*.
extension Told {
    var isApartByGrant: Bool {
        isOfGuest || isOfLateRole || isLeftBeforeRole || isPassedOver || isSeenBetween || isBroughtBetween || isLostBetween
            || isFoundBetween || isFollowedBetween || hasBranchesByEverything
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
        // It may have another revision, from before its user lost sight of the document.
        guard rows.gateway == nil, had.gateway == had.bridge, rows.bridge?.answers.contains("200") == true else { return false }
        let channels = past.channels(ofRolesOf: client.user, areLate: client.channels == nil)
        return channels.contains("*") || has.bridge?.contains { isWritten($0, in: channels) } == true
    }

    /// *late role*: so such a client hears of what was deleted in these channels, or left them, before its user had them by the role.
    private var isLeftBeforeRole: Bool {
        guard rows.bridge == nil, had.gateway == had.bridge, let theirs = rows.gateway else { return false }
        let isTold = { (name: String) in past.hasBeen(in: lateChannels(behind: name), id, client.keyspace) }
        let isGone = theirs.isLoss(holding: has.gateway) || isOutside(theirs)
        if isGone, !theirs.revisions.isEmpty, theirs.revisions.allSatisfy(isTold) { return true }
        // Other revisions may have followed the one with which it left. The user sees them by other channels.
        return theirs.isNotice && theirs.revisions.contains { isOutside($0) && isTold($0) }
    }

    /// The channels of roles that a Sync Gateway has this client's user have before a bridge does, as far as they are asked for.
    private func lateChannels(behind name: String) -> Set<String> {
        guard let asked = client.channels else { return past.channels(ofRolesOf: client.user, areLate: true) }
        let late = past.channels(ofRolesOf: client.user, givenAfter: name, of: id, in: client.keyspace)
        return late.contains("*") ? Set(asked) : late.intersection(asked)
    }

    /// *limit of active documents*: a Sync Gateway counts what has left, and so passes over documents.
    private var isPassedOver: Bool {
        client.activeOnly && client.limit != nil && client.feed != .blip && rows.gateway == nil && had.gateway == nil && isInSight == true
            && rows.bridge?.answers.contains("200") == true
    }

    /// *seen between*: an open feed brings a document of a push that the next document of the push takes out of sight.
    private var isSeenBetween: Bool {
        guard [.blip, .continuous].contains(client.feed), has.bridge == nil, isInSight == false, let theirs = rows.gateway else {
            return false
        }
        return theirs.answers.contains("200")
            && theirs.revisions.contains { past.cameWithGiver(to: client.user, $0, of: id, in: client.keyspace) }
    }

    /// *seen between*: an answer with a limit, of one server, has brought a document that is out of sight by the other one's next answer.
    private var isBroughtBetween: Bool {
        guard isInSight == false, had.gateway == nil, had.bridge == nil else { return false }
        if rows.gateway == nil, has.gateway == nil { return !hadMeanwhile.isEmpty && has.bridge == hadMeanwhile }
        return isOld && rows.bridge == nil && has.bridge == nil && rows.gateway?.answers.contains("200") == true
    }

    /// *seen between*: a Sync Gateway's answer with a limit has brought a branch that is out of sight by the time of the bridge's answer.
    private var isLostBetween: Bool {
        guard isOld, client.allLeaves, let theirs = has.gateway, let ours = has.bridge, ours.isStrictSubset(of: theirs) else {
            return false
        }
        return rows.bridge?.answers.contains("404") == true && rows.bridge?.revisions == rows.gateway?.revisions
    }

    /// *seen between*: a Sync Gateway's answer with a limit has named a branch out of sight that has come into sight by the time of the bridge's answer.
    private var isFoundBetween: Bool {
        guard isOld, client.allLeaves, has.gateway == nil, let held = has.bridge, let theirs = rows.gateway, let ours = rows.bridge else {
            return false
        }
        return theirs.isLoss(holding: nil) && ours.isNotice && ours.revisions == theirs.revisions
            && held.isStrictSubset(of: theirs.revisions)
    }

    /// *seen between*: a bridge's answer with a limit has brought a branch that was followed, out of sight, by the time of the Sync Gateway's answer.
    private var isFollowedBetween: Bool {
        guard client.allLeaves, has.bridge == hadMeanwhile, had.bridge != hadMeanwhile, rows.gateway?.answers.contains("removed") == true
        else {
            return false
        }
        let kept = hadMeanwhile.subtracting(has.gateway ?? [])
        return !kept.isEmpty && kept.allSatisfy { past.isFollowed($0, of: id, in: client.keyspace) }
    }

    /// *branches by everything*: with `*` branches come into sight, which a bridge brings to clients that ask for certain channels, too.
    private var hasBranchesByEverything: Bool {
        guard client.allLeaves, client.channels != nil, past.held(by: client.user).contains("*"), let theirs = has.gateway,
            let ours = has.bridge,
            theirs.isStrictSubset(of: ours), rows.bridge?.answers.contains("200") == true
        else { return false }
        return rows.gateway.map { $0.revisions == rows.bridge?.revisions } ?? (had.gateway == theirs && had.bridge == theirs)
    }
}
