import Documents
import Foundation
import Storage

/// The work of the store's benchmark, whatever the engine.
struct StoreLoad {
    /// How each document is looked up before it is inserted.
    enum Lookup: String, CaseIterable {
        case none = "inserts"
        case single = "lookups and inserts"
        case announced = "announced lookups and inserts"
    }

    let store: any Store
    let rows: BenchmarkRows

    /// Writes the rows in batches of 500, each batch in one call, and measures it.
    ///
    /// - Parameters:
    ///   - prefix: Distinguishes the IDs of one run.
    ///   - lookup: How each document is looked up; a bridge announces its lookups.
    func write(prefix: String, _ lookup: Lookup) async throws -> Cost {
        try await measure {
            for batch in rows.batches(500) {
                try await store.write { transaction in
                    if lookup == .announced {
                        try transaction.announceLookups(of: batch.map { prefix + $0.id }, legacyIDs: [], in: .unified, with: [])
                    }
                    for row in batch { try Self.insert(row, prefix, looksUp: lookup != .none, transaction) }
                }
            }
        }
    }

    private static func insert(_ row: BenchmarkRows.Row, _ prefix: String, looksUp: Bool, _ transaction: any StoreTransaction) throws {
        if looksUp, try transaction.document(unifiedID: prefix + row.id) != nil { return }
        guard let revision = RevisionID("1-\(row.digest)") else { return }
        var tree = RevisionTree()
        try tree.merge([revision], isDeleted: false)
        let sequence = try transaction.nextSequence()
        let document = DocumentRecord(
            collection: .default, unifiedID: prefix + row.id, localID: nil, sequence: sequence, collectionSequence: sequence,
            winner: revision,
            flags: DocumentFlags(tree: tree, hasAttachments: false), modified: 1, tree: tree)
        _ = try transaction.insert(document, winnerBody: StoredBody(properties: Array("{\(row.body)}".utf8)))
    }

    /// Reads the feed in steps of 1,000 rows.
    func readFeed() async throws -> Cost {
        try await measure {
            var last = SequenceNumber.zero
            while true {
                let next = try await store.read { [last] snapshot in
                    var next = last
                    try snapshot.feed(.unified, FeedStretch(after: last, limit: 1_000)) { row in
                        next = row.sequence
                        return true
                    }
                    return next
                }
                guard next != last else { return }
                last = next
            }
        }
    }

    /// Reads the documents with their bodies one by one, 100 in a read.
    func readDocuments(prefix: String) async throws -> Cost {
        try await measure {
            for batch in rows.batches(100) {
                try await store.read { snapshot in
                    for row in batch {
                        guard let document = try snapshot.document(unifiedID: prefix + row.id) else { continue }
                        _ = try snapshot.body(of: document.winner, in: document)
                    }
                }
            }
        }
    }

    private func measure(_ work: () async throws -> Void) async throws -> Cost {
        let (before, start) = (clock(), ContinuousClock.now)
        try await work()
        return Cost(
            processor: Double(clock() - before) / Double(CLOCKS_PER_SEC), wall: start.duration(to: .now), documents: rows.rows.count)
    }
}
