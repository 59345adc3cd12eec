/// What can happen in a simulation, so that it can be counted whether it does.
enum Happening: String, Sendable, CaseIterable {
    // Faults, when they come about.
    case lostMessage, unansweredMessage, repeatedMessage, crashBeforeCommit, crashAfterCommit, brokenUpstream

    // What is done with servers and clients.
    case forgot, restarted, moved, movedBack, expired, clockWentBack, repointed

    /// Channels, while their client was away, and in the middle of a replication.
    case grantedAway, revokedAway, grantedConnected, revokedConnected

    /// Roles, the channel of everything, and users who are made after documents.
    case changedTeam, joinedTeam, leftTeam, grantedEverything, revokedEverything, cameLate

    /// Revisions that an upstream refuses, and those that get through when they are tried again.
    case refusedPush, refusedPull, gotThroughLater

    /// A client heard that a document has left for it.
    case removed

    /// What happened to the legacy upstream in the middle of a replication.
    case proxyAnswered, sessionEnded, restoredUnderway

    /// Backups.
    case restoredBridge, restoredLegacyUpstream, restoredModernUpstream

    // The arrows between the stages, by what they lead from and to.
    case shadowToDual = "shadow to dual"
    case dualToSwitched = "dual to switched"
    case switchedToComplete = "switched to complete"
    case completeToSunset = "complete to sunset"
    case sunsetToComplete = "sunset to complete"
    case completeToSwitched = "complete to switched"
    case switchedToDual = "switched to dual"
    case dualToShadow = "dual to shadow"
    case refusedAtSunset

    // What becomes of devices and their apps.
    case changedURL, restoredDevice, copiedDevice, gainedCollections, gainedCollectionsElsewhere, gainedVersions

    /// An upgraded database has proposed what was made before.
    case proposedOldRevision

    /// Conflicts of 4.x clients, by how they were resolved.
    case keptOwnVersion, tookOtherVersion, mergedVersions

    // Deltas, as clients see them.
    case sentDelta, receivedDelta
}
