/// What can happen in a simulation, so that it can be counted whether it does.
enum Happening: String, Sendable, CaseIterable {
    // Faults, when they come about.
    case lostMessage, unansweredMessage, repeatedMessage, crashBeforeCommit, crashAfterCommit, brokenUpstream

    // What is done with servers and clients.
    case forgot, restarted, moved, movedBack, expired, clockWentBack, repointed

    /// Channels, while their client was away, and in the middle of a replication.
    case grantedAway, revokedAway, grantedConnected, revokedConnected

    /// A client heard that a document has left for it.
    case removed

    /// Backups.
    case restoredBridge, restoredLegacyUpstream, restoredModernUpstream

    /// Stages.
    case advanced, reversed, refusedAtSunset

    /// Conflicts of 4.x clients, by how they were resolved.
    case keptOwnVersion, tookOtherVersion, mergedVersions

    // Deltas, as clients see them.
    case sentDelta, receivedDelta
}
