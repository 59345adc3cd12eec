package import Documents
package import Storage

/// A summary of a database's contents. It reads a few rows, whatever the database's size.
package struct DatabaseOverview: Sendable {
    /// The last sequence that was issued.
    package let lastSequence: SequenceNumber
    package let unified: DocumentCounts
    package let collections: [CollectionOverview]

    /// The latest conflicts first, up to the requested limit.
    package let conflicts: [ConflictOverview]

    /// Import and migration runs, the latest first.
    package let imports: [MigrationRunRecord]
}

/// A collection with its counts.
package struct CollectionOverview: Sendable {
    package let name: CollectionName

    /// Whether its documents are left out of the unified keyspace.
    package let isHidden: Bool
    package let counts: DocumentCounts
}

/// A document with more than one live leaf.
package struct ConflictOverview: Sendable {
    package let collection: CollectionName
    package let id: String
    package let winner: RevisionID

    /// The number of live leaves, including the winner.
    package let leaves: Int

    /// The time of the document's last local change, in milliseconds since 1970.
    package let modified: Int64
}

extension Database {
    /// - Parameter limit: the maximum number of conflicts, and of runs.
    package func overview(limit: Int) async throws -> DatabaseOverview {
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
