/// Wanted differences of documents that become visible: *late role*, *guest's feed*, *limit of active documents*, *seen between*, *branches by
/// everything*.
extension DocumentComparison {
    var isApartByGrant: Bool {
        isOfGuest || isOfLateRole || isLeftBeforeRole || isPassedOver || isSeenBetween || isBroughtBetween || isLostBetween
            || isFoundBetween || isFollowedBetween || hasBranchesByEverything
    }

    /// *guest's feed*: a Sync Gateway's feed names documents that have become visible, without their content; the feed of Sync Gateway 2.8 keeps its
    /// initial access.
    private var isOfGuest: Bool {
        if hasLastingRights, rows.gateway == nil || rows.gateway?.answers.contains("200") == true, has.gateway != has.bridge { return true }
        guard client.user == Client.guest, client.feed == .blip, let theirs = rows.gateway, let ours = rows.bridge else { return false }
        // The feed may have sent the content before.
        return theirs.answers.contains("removed") && has.gateway == nil && ours.answers.contains("200")
            && theirs.revisions == ours.revisions
    }

    /// *late role*: a Sync Gateway counts the channels of a role that is created late from the granting documents. Where a client asks for certain
    /// channels, it counts the channels of a role that a user gets late from the role's creation.
    private var isOfLateRole: Bool {
        // The client may have another revision, from before its user lost access to the document.
        guard rows.gateway == nil, had.gateway == had.bridge, rows.bridge?.answers.contains("200") == true else { return false }
        let channels = past.channels(ofRolesOf: client.user, areLate: client.channels == nil)
        return channels.contains("*") || has.bridge?.contains { isWritten($0, in: channels) } == true
    }

    /// *late role*: such a client gets deletions in these channels, and departures from them, from before its user had them by the role.
    private var isLeftBeforeRole: Bool {
        guard rows.bridge == nil, had.gateway == had.bridge, let theirs = rows.gateway else { return false }
        let isReported = { (name: String) in past.hasBeen(in: lateChannels(behind: name), id, client.keyspace) }
        let isGone = theirs.isLoss(holding: has.gateway) || isOutside(theirs)
        if isGone, !theirs.revisions.isEmpty, theirs.revisions.allSatisfy(isReported) { return true }
        // Later revisions may have followed the departure. The user sees them by other channels.
        return theirs.isNotice && theirs.revisions.contains { isOutside($0) && isReported($0) }
    }

    /// The requested channels of roles that the client's user has at a Sync Gateway earlier than at a bridge.
    private func lateChannels(behind name: String) -> Set<String> {
        guard let asked = client.channels else { return past.channels(ofRolesOf: client.user, areLate: true) }
        let late = past.channels(ofRolesOf: client.user, givenAfter: name, of: id, in: client.keyspace)
        return late.contains("*") ? Set(asked) : late.intersection(asked)
    }

    /// *limit of active documents*: a Sync Gateway counts departed documents, and so leaves out others.
    private var isPassedOver: Bool {
        client.activeOnly && client.limit != nil && client.feed != .blip && rows.gateway == nil && had.gateway == nil && isInSight == true
            && rows.bridge?.answers.contains("200") == true
    }

    /// *seen between*: an open feed sends a document of a push that the next document of the push makes invisible.
    private var isSeenBetween: Bool {
        guard [.blip, .continuous].contains(client.feed), has.bridge == nil, isInSight == false, let theirs = rows.gateway else {
            return false
        }
        return theirs.answers.contains("200")
            && theirs.revisions.contains { past.cameWithGiver(to: client.user, $0, of: id, in: client.keyspace) }
    }

    /// *seen between*: a limited reply of one server has a document that is invisible at the other server's next reply.
    private var isBroughtBetween: Bool {
        guard isInSight == false, had.gateway == nil, had.bridge == nil else { return false }
        if rows.gateway == nil, has.gateway == nil { return !hadMeanwhile.isEmpty && has.bridge == hadMeanwhile }
        return isOld && rows.bridge == nil && has.bridge == nil && rows.gateway?.answers.contains("200") == true
    }

    /// *seen between*: a Sync Gateway's limited reply has a branch that is invisible at the time of the bridge's reply.
    private var isLostBetween: Bool {
        guard isOld, client.allLeaves, let theirs = has.gateway, let ours = has.bridge, ours.isStrictSubset(of: theirs) else {
            return false
        }
        return rows.bridge?.answers.contains("404") == true && rows.bridge?.revisions == rows.gateway?.revisions
    }

    /// *seen between*: a Sync Gateway's limited reply names an invisible branch that is visible at the time of the bridge's reply.
    private var isFoundBetween: Bool {
        guard isOld, client.allLeaves, has.gateway == nil, let held = has.bridge, let theirs = rows.gateway, let ours = rows.bridge else {
            return false
        }
        return theirs.isLoss(holding: nil) && ours.isNotice && ours.revisions == theirs.revisions
            && held.isStrictSubset(of: theirs.revisions)
    }

    /// *seen between*: a bridge's limited reply has a branch that was followed, invisibly, before the Sync Gateway's reply.
    private var isFollowedBetween: Bool {
        guard client.allLeaves, has.bridge == hadMeanwhile, had.bridge != hadMeanwhile, rows.gateway?.answers.contains("removed") == true
        else {
            return false
        }
        let kept = hadMeanwhile.subtracting(has.gateway ?? [])
        return !kept.isEmpty && kept.allSatisfy { past.isFollowed($0, of: id, in: client.keyspace) }
    }

    /// *branches by everything*: with `*` branches become visible, which a bridge also sends to clients that ask for certain channels.
    private var hasBranchesByEverything: Bool {
        guard client.allLeaves, client.channels != nil, past.held(by: client.user).contains("*"), let theirs = has.gateway,
            let ours = has.bridge,
            theirs.isStrictSubset(of: ours), rows.bridge?.answers.contains("200") == true
        else { return false }
        return rows.gateway.map { $0.revisions == rows.bridge?.revisions } ?? (had.gateway == theirs && had.bridge == theirs)
    }
}
