/// The cases of a simulation that are counted, to check that each occurs.
enum Happening: String, Sendable, CaseIterable {
    // Faults that took effect.
    case lostMessage, unansweredMessage, repeatedMessage, crashBeforeCommit, crashAfterCommit, brokenUpstream

    // Operations on servers and clients.
    case forgot, restarted, moved, movedBack, expired, clockWentBack, repointed, repointedModern

    /// Changes of channels, while their client was offline, and in the middle of a replication.
    case grantedAway, revokedAway, grantedConnected, revokedConnected

    /// Roles, the channel of everything, and users that are created after documents.
    case changedTeam, joinedTeam, leftTeam, grantedEverything, revokedEverything, cameLate

    /// Revisions that an upstream refuses, and those that succeed in a retry.
    case refusedPush, refusedPull, gotThroughLater

    /// A client received the departure of a document.
    case removed

    /// Faults of the legacy upstream in the middle of a replication.
    case proxyAnswered, sessionEnded, restoredUnderway

    /// Backups.
    case restoredBridge, restoredLegacyUpstream, restoredModernUpstream

    // The steps between the stages, by their start and end.
    case shadowToDual = "shadow to dual"
    case dualToSwitched = "dual to switched"
    case switchedToComplete = "switched to complete"
    case completeToSunset = "complete to sunset"
    case sunsetToComplete = "sunset to complete"
    case completeToSwitched = "complete to switched"
    case switchedToDual = "switched to dual"
    case dualToShadow = "dual to shadow"
    case refusedAtSunset

    // Steps of devices and their apps.
    case changedURL, restoredDevice, copiedDevice, gainedCollections, gainedCollectionsElsewhere, gainedVersions

    /// An upgraded database has proposed revisions from before the upgrade.
    case proposedOldRevision

    /// Conflicts of 4.x clients, by their resolution.
    case keptOwnVersion, tookOtherVersion, mergedVersions

    // Deltas, from the clients' view.
    case sentDelta, receivedDelta

    // Faults of the engine of two bridges.
    case cutAtMessage, cutBeforeCommit, cutAfterCommit, lostCommit, unknownCommit

    // Two bridges: a standby that lacks commits is promoted; one is started again after a crash, hands the work over, or is stopped until the other one has taken the work over; a client
    // changes the bridge; a feed is woken by a write at the other bridge.
    case promoted, revived, handedOver, tookOver, tookMovesOver, changedBridge, wokeLegacyFeed, wokeModernFeed

    /// The cases of worlds with two bridges.
    private static let ofBridges: Set<Happening> = [
        .cutAtMessage, .cutBeforeCommit, .cutAfterCommit, .lostCommit, .unknownCommit, .promoted, .revived, .handedOver, .tookOver,
        .tookMovesOver,
        .changedBridge,
        .wokeLegacyFeed, .wokeModernFeed,
    ]

    /// The cases of worlds whose bridges have an engine.
    static func cases(on engine: EngineKind) -> [Happening] { allCases.filter { engine == .postgresql || !ofBridges.contains($0) } }
}
