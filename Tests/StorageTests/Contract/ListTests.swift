import SQLiteStorage
import Storage
import Testing

@Suite("Listings")
struct ListTests {
    /// Fills a collection with nearly all documents, and a small one; every third document of each has a different ID in its collection.
    ///
    /// - Returns: Their IDs, in order.
    private func fill(_ transaction: any StoreTransaction) throws -> [CollectionKey: [String]] {
        let large = try transaction.putCollection(scope: "s", name: "large", isHidden: nil).key
        let small = try transaction.putCollection(scope: "s", name: "small", isHidden: nil).key
        var ids: [CollectionKey: [String]] = [:]
        for number in 0..<2_100 {
            let collection = number % 70 == 0 ? small : large
            let id = "d\(number * 7_919 % 10_007)"
            let localID = number % 3 == 0 ? "l\(number)" : nil
            try transaction.add(id, in: collection, localID: localID)
            ids[collection, default: []].append(localID ?? id)
        }
        return ids.mapValues { $0.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    }

    @Test("Small and large collections are listed by ID, in ranges and pages, in both directions", arguments: StorageEngine.all)
    func collections(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            let ids = try await store.write { try fill($0) }
            try await store.read { snapshot throws in
                for (collection, sorted) in ids {
                    #expect(try snapshot.listIDs(.collection(collection), ListRange(), limit: 5_000) == sorted)
                    #expect(try snapshot.listIDs(.collection(collection), ListRange(descending: true), limit: 5_000) == sorted.reversed())
                    let (from, to) = (sorted[sorted.count / 4], sorted[sorted.count / 2])
                    let range = Array(sorted[(sorted.count / 4)...(sorted.count / 2)])
                    #expect(try snapshot.listIDs(.collection(collection), ListRange(from: from, to: to), limit: 5_000) == range)
                    #expect(
                        try snapshot.listIDs(
                            .collection(collection), ListRange(from: to, to: from, includesTo: false, descending: true), limit: 3)
                            == Array(range.reversed().prefix(3)))
                    #expect(
                        try snapshot.listIDs(.collection(collection), ListRange(from: from, to: to, includesTo: false), limit: 5_000)
                            == range.dropLast())
                }
            }
        }
    }
}
