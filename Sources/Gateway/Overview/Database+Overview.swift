import Documents
import Storage

extension Database {
    /// - Parameter limit: how many conflicts, and how many runs, are listed at most.
    public func overview(limit: Int) async throws -> DatabaseOverview {
        try await store.read { snapshot in
            let records = try snapshot.collections()
            let names = Dictionary(records.map { ($0.key, CollectionName(scope: $0.scope, name: $0.name)) }) { first, _ in first }
            return DatabaseOverview(
                lastSequence: try snapshot.lastSequence,
                unified: try snapshot.counts(.unified),
                collections: try records.map { record in
                    CollectionOverview(
                        name: CollectionName(scope: record.scope, name: record.name), isHidden: record.isHidden,
                        counts: try snapshot.counts(.collection(record.key)))
                },
                conflicts: try snapshot.conflicted(limit: limit).map { document in
                    ConflictOverview(
                        collection: names[document.collection] ?? .default, id: document.id, winner: document.winner,
                        leaves: document.tree.leaves.count { !$0.isDeleted }, modified: document.modified)
                },
                imports: try snapshot.migrationRuns().suffix(limit).reversed())
        }
    }
}
