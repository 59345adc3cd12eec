import Documents
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Pages that a change of a document writes")
struct WrittenPagesTests {
    @Test("A new revision does not write the indexes by ID")
    func newRevision() async throws {
        let written = try await written { transaction, ids, _ in
            for id in ids { try transaction.edit(id, ["2-bb", "1-aa"]) }
        }
        expectUntouched(["documents_by_unified_id", "documents_by_local_id"], in: written)
        #expect(written["documents_by_sequence"] != nil)
        #expect(written["documents_by_collection_sequence"] != nil)
    }

    @Test("A losing revision does not write the indexes by ID")
    func losingRevision() async throws {
        let written = try await written { transaction, ids, _ in
            for id in ids { try transaction.edit(id, ["1-00"]) }
        }
        expectUntouched(["documents_by_unified_id", "documents_by_local_id"], in: written)
        #expect(written["documents_by_sequence"] != nil)
    }

    @Test("A move does not write the unified keyspace's indexes")
    func move() async throws {
        let written = try await written { transaction, ids, other in
            for id in ids {
                var document = try #require(try transaction.document(unifiedID: id))
                document.collection = other
                document.localID = document.localID == nil ? "\(id)-there" : nil
                document.collectionSequence = try transaction.nextSequence()
                try transaction.update(document)
            }
        }
        expectUntouched(["documents_by_unified_id", "documents_by_sequence"], in: written)
        #expect(written["documents_by_collection_sequence"] != nil)
        #expect(written["documents_by_local_id"] != nil)
    }

    @Test("New flags write only rows")
    func flags() async throws {
        let written = try await written { transaction, ids, _ in
            for id in ids {
                var document = try #require(try transaction.document(unifiedID: id))
                document.flags.insert(.misplaced)
                try transaction.update(document)
            }
        }
        #expect(written.keys.filter { $0.hasPrefix("documents") } == ["documents"])
    }

    /// Runs work with documents that are spread over all pages; every other document has a different ID in its collection.
    ///
    /// - Returns: The number of written pages of each table and index.
    private func written(
        _ work: @escaping @Sendable (any StoreTransaction, [String], CollectionKey) throws -> Void
    ) async throws -> [String: Int] {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        // In an order that is neither that of the keys nor that of the sequences.
        let ids = (0..<1000).map { "document-\($0 * 7919 % 1000)-of-one-thousand" }
        let other = try await store.write { transaction in
            for (index, id) in ids.enumerated() { try transaction.add(id, localID: index % 2 == 0 ? nil : "\(id)-here") }
            return try transaction.putCollection(scope: "sales", name: "orders", isHidden: false).key
        }
        let pages = try WrittenPages(store)
        let some = stride(from: 0, to: ids.count, by: 21).map { ids[$0] }
        try await store.write { try work($0, some, other) }
        let written = try pages.counts()
        #expect(written["documents"] != nil)
        #expect(try await store.check().isSound)
        try await store.close()
        return written
    }

    private func expectUntouched(_ names: [String], in written: [String: Int]) {
        for name in names { #expect(written[name] == nil, "\(written[name] ?? 0) pages of \(name)") }
    }
}
