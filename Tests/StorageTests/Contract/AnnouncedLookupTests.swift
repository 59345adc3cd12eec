import Documents
import Storage
import TestSupport
import Testing

@Suite("Announced lookups")
struct AnnouncedLookupTests {
    private struct Refusal: Error {}

    private static let ids = (0..<12).map { "d\($0)" }

    /// The keys of the documents by their IDs in a scope, from a listing, which no announcement answers.
    private static func listed(_ scope: FeedScope, _ transaction: any StoreTransaction) throws -> [String: DocumentKey] {
        var found: [String: DocumentKey] = [:]
        try transaction.list(scope, range: ListRange(includesDeleted: true), limit: 100) { row in
            found[row.id] = row.key
            return true
        }
        return found
    }

    /// Expects that each lookup finds what a listing finds.
    private static func expectAgreement(_ transaction: any StoreTransaction, _ collections: [CollectionKey], _ step: String) throws {
        let unified = try listed(.unified, transaction)
        for id in ids { #expect(try transaction.document(unifiedID: id)?.key == unified[id], "\(id) after \(step)") }
        for collection in collections {
            let own = try listed(.collection(collection), transaction)
            for id in ids {
                let found = try transaction.document(in: collection, id: id)
                #expect(found?.key == own[id], "\(id) of \(collection.value) after \(step)")
                #expect(found == nil || found?.id == id)
                #expect(try transaction.hasLocalID(id, in: collection) == (found?.localID == id), "local \(id) after \(step)")
            }
        }
    }

    @Test("Lookups find what the transaction has written since they were announced", arguments: StorageEngine.all, 0..<6)
    func agreement(_ engine: StorageEngine, seed: Int) async throws {
        try await withStore(engine) { store in
            let orders = try await store.write { try $0.putCollection(scope: "sales", name: "orders", isHidden: false).key }
            try await store.write { transaction in
                var generator = SeededGenerator(seed: UInt64(seed))
                for id in Self.ids.prefix(4) { try transaction.add(id) }
                for number in 0..<120 {
                    if number % 15 == 0 {
                        try transaction.announceLookups(of: Self.ids, legacyIDs: [], in: .unified, with: [])
                        try transaction.announceLookups(of: Self.ids, legacyIDs: Self.ids, in: .collection(orders), with: [])
                    }
                    let step = try Self.change(transaction, orders, &generator)
                    try Self.expectAgreement(transaction, [.default, orders], step)
                }
            }
            try await store.expectSound()
        }
    }

    /// Makes a random change, or tries one.
    private static func change(
        _ transaction: any StoreTransaction, _ orders: CollectionKey, _ generator: inout SeededGenerator
    ) throws -> String {
        let id = ids.randomElement(using: &generator) ?? ""
        let collection = Bool.random(using: &generator) ? orders : .default
        let present = try listed(.unified, transaction)
        let kind = Int.random(in: 0..<5, using: &generator)
        switch (kind, present[id]) {
        case (0, let key?):
            try transaction.purge(key)
        case (1, let key?):
            guard var document = try transaction.document(key) else { return "nothing" }
            let localID = try transaction.document(in: collection, id: "l\(id)") == nil && Bool.random(using: &generator) ? "l\(id)" : nil
            guard try localID != nil || transaction.document(in: collection, id: id) == nil || document.collection == collection else {
                return "nothing"
            }
            document.collection = collection
            document.localID = localID
            document.collectionSequence = try transaction.nextSequence()
            try transaction.update(document)
        case (2, nil):
            let failed: Void? = try? transaction.attempt {
                try transaction.add(id, in: collection)
                throw Refusal()
            }
            #expect(failed == nil)
        case (_, nil):
            guard try transaction.document(in: collection, id: id) == nil else { return "nothing" }
            try transaction.add(id, in: collection)
        default:
            return "nothing"
        }
        return "\(kind) \(id)"
    }

    @Test("Departures and places of purged documents are found after an announcement", arguments: StorageEngine.all)
    func others(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let key = try transaction.add("a")
                try transaction.setDeparture(
                    DepartureRecord(collection: .default, id: "old", document: key, sequence: transaction.nextSequence()))
                try transaction.announceLookups(of: ["a", "old", "new"], legacyIDs: [], in: .collection(.default), with: [])
                #expect(try transaction.departure(from: .default, id: "old")?.document == key)
                #expect(try transaction.departure(from: .default, id: "new") == nil)
                try transaction.setDeparture(
                    DepartureRecord(collection: .default, id: "new", document: key, sequence: transaction.nextSequence()))
                #expect(try transaction.departure(from: .default, id: "new")?.document == key)
                try transaction.endDeparture(of: key, as: "old", from: .default, at: transaction.nextSequence())
                #expect(try transaction.departure(from: .default, id: "old") == nil)
                try transaction.rememberPlaces(of: key)
                try transaction.purge(key)
                #expect(try transaction.departure(from: .default, id: "new") == nil)
                #expect(try transaction.removeRememberedPlaces(of: "a").map(\.id).sorted() == ["a", "new"])
                #expect(try transaction.removeRememberedPlaces(of: "a").isEmpty)
            }
        }
    }
}
