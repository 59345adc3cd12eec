import BLIP
import Documents

/// The behaviour of a database that was upgraded to versions, with revisions from before.
extension ModernClient {
    /// Whether the database has to push a revision from before the upgrade.
    func hasOldRevisions(_ keyspace: String) -> Bool {
        guard let versions = database as? VersionDatabase else { return false }
        return pending(keyspace).contains(where: versions.isLegacy)
    }

    var isUpgraded: Bool { (database as? VersionDatabase)?.isUpgraded ?? false }

    /// Proposes pending documents, and pulls while it waits for the reply, as LiteCore always does: the server replies once its pull has sent the
    /// versions of such documents.
    func pushWhilePulling(_ keyspace: String, _ conversation: Conversation) async throws {
        let batch = Array(pending(keyspace).prefix(Self.pushBatch))
        refused.subtract(batch)
        offeredAgain.subtract(batch)
        let offers = offers(of: batch, isTrusted: !distrusted.contains(keyspace))
        conversation.line.ledger.happen(.proposedOldRevision)
        let asked = try await conversation.send(proposal(of: offers, keyspace))
        try await pull(keyspace, conversation)
        let answers = try answers(try await conversation.answer(to: asked), offers, conversation)
        try await carryOut(answers, offers, keyspace, conversation)
        let done = offers.map(\.offer.sequence).max() ?? 0
        reached[keyspace, default: ClientCheckpoint()].local = max(reached[keyspace]?.local ?? 0, done)
    }
}
