import Documents
import Storage

/// Prunes a document's revision tree, and keeps what clients may hold last: a device that was off for a year finds the revision that it has, and
/// its edit becomes a branch of it or follows it, and what it gets follows what it has.
///
/// Which revision a client holds follows from its position: the one that had won by then. Of documents with a history that is long enough to be
/// pruned, marks tell which that was, one for every tenth of the depth. What comes before the last mark at or below the lowest position of
/// all clients and replicators is held by none of them.
struct HistoryPruner {
    let transaction: any StoreTransaction
    let limits: DatabaseLimits
    let now: Int64

    /// Prunes the tree that a document gets.
    ///
    /// - Parameters:
    ///   - document: The document as the store has it.
    ///   - tree: Its next tree.
    /// - Returns: The revisions that were removed.
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

    /// Prunes the tree of a document that comes from elsewhere, whole: from a file, or with the first of its revisions. The clients that will come
    /// with it hold revisions of it, and nobody here knows which: all are kept that may be kept at all.
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
