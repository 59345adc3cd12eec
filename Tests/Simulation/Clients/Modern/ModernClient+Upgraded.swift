import BLIP
import Documents

/// What a database does that was upgraded to versions, with revisions from before.
extension ModernClient {
    /// Whether something is to be pushed that was made before the upgrade.
    func hasOldRevisions(_ keyspace: String) -> Bool {
        guard let versions = database as? VersionDatabase else { return false }
        return pending(keyspace).contains(where: versions.isLegacy)
    }

    var isUpgraded: Bool { (database as? VersionDatabase)?.isUpgraded ?? false }

    /// Proposes what is pending, and pulls while the answer is waited for, as LiteCore does always: the server answers once its pull has brought the versions
    /// of such documents.
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
