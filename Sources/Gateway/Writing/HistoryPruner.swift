import Documents
import Storage

/// Prunes a document's revision tree, but keeps the revisions that clients may have: a device that was offline for a year finds its revision, so
/// that its edit is an update or a branch, and updates for it descend from its revision.
///
/// A client's position determines its revision of a document: the winner at that time. For documents whose history is long enough to be pruned,
/// marks record the winner after every tenth of the depth. No client and no replicator has revisions from before the last mark at or below the
/// lowest of their positions.
struct HistoryPruner {
    let transaction: any StoreTransaction
    let limits: DatabaseLimits
    let now: Int64

    /// Prunes a document's new tree.
    ///
    /// - Parameters:
    ///   - document: The stored document.
    ///   - tree: Its new tree.
    /// - Returns: The removed revisions.
    func prune(_ tree: inout RevisionTree, of document: DocumentRecord) throws -> [RevisionID] {
        guard tree.count > limits.revisionDepth else { return [] }
        guard let key = document.key,
            let lowest = try transaction.lowestPosition(seenSince: now - Int64(limits.protectionDays) * CheckpointDay.length),
            lowest < document.collectionSequence
        else { return tree.prune(depth: limits.revisionDepth) }
        try mark(document, key)
        guard let floor = try transaction.historyMark(of: key, upTo: lowest) else { return tree.prune(depth: limits.protectedDepth) }
        try transaction.removeHistoryMarks(of: key, before: floor.sequence)
        guard tree.count <= limits.protectedDepth else { return tree.prune(depth: limits.protectedDepth) }
        return tree.prune(depth: limits.revisionDepth, keeping: [floor.revision])
    }

    /// Prunes the tree of a document that arrives as a whole: by an import, or with its first revision. It is unknown which of its revisions the
    /// clients of its source have, so the maximum is kept.
    static func prune(_ tree: inout RevisionTree, arriving limits: DatabaseLimits) {
        guard tree.count > limits.protectedDepth else { return }
        _ = tree.prune(depth: limits.protectedDepth)
    }

    private func mark(_ document: DocumentRecord, _ key: DocumentKey) throws {
        let last = try transaction.historyMark(of: key, upTo: document.collectionSequence)
        let distance = max(1, limits.revisionDepth / 10)
        guard last.map({ document.winner.generation >= $0.revision.generation + distance }) ?? true else { return }
        try transaction.setHistoryMark(HistoryMark(sequence: document.collectionSequence, revision: document.winner), of: key)
    }
}
