public import Documents
public import Storage

/// What a database holds, in short: whatever its size, a few rows are read for it.
public struct DatabaseOverview: Sendable {
    /// The last sequence that was given out.
    public let lastSequence: SequenceNumber
    public let unified: DocumentCounts
    public let collections: [CollectionOverview]

    /// At most as many as were asked for; the latest made come first.
    public let conflicts: [ConflictOverview]

    /// Runs that brought documents in from elsewhere, the last one first.
    public let imports: [MigrationRunRecord]
}

/// A collection with its counts.
public struct CollectionOverview: Sendable {
    public let name: CollectionName

    /// Whether its documents are left out of the unified keyspace.
    public let isHidden: Bool
    public let counts: DocumentCounts
}

/// A document of which more than one leaf is live.
public struct ConflictOverview: Sendable {
    public let collection: CollectionName
    public let id: String
    public let winner: RevisionID

    /// How many leaves are live, the winner among them.
    public let leaves: Int

    /// When it last changed here, in milliseconds since 1970.
    public let modified: Int64
}

extension Database {
    /// - Parameter limit: how many conflicts, and how many runs, are listed at most.
    public func overview(limit: Int) async throws -> DatabaseOverview {
        try await store.read { snapshot in
            let records = try snapshot.collections()
            let names = Dictionary(records.map { ($0.key, $0.collectionName) }) { first, _ in first }
            return DatabaseOverview(
                lastSequence: try snapshot.lastSequence,
                unified: try snapshot.counts(.unified),
                collections: try records.map { record in
                    CollectionOverview(
                        name: record.collectionName, isHidden: record.isHidden,
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
