import Documents
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Legacy IDs")
struct LegacyIDTests {
    private func stripping() async throws -> Fixture {
        try await Fixture {
            try $0.add("sales.orders")
            try $0.route(.idPrefix("order::"), to: "sales.orders", strip: true)
        }
    }

    @Test("order::17 becomes 17 in sales.orders, and keeps its legacy ID")
    func strip() async throws {
        let fixture = try await stripping()
        let orders = try fixture.collection("sales.orders")
        try await fixture.unified.push("order::17", "1-aa", body: #"{"n":1}"#)
        #expect(try await orders.current("17") == #"1-aa {"n":1}"#)
        #expect(try await orders.current("order::17") == nil)
        #expect(try await fixture.unified.current("17") == nil)
        try await orders.pushModern("17", "2-bb", "1-aa", body: #"{"n":2}"#)
        #expect(try await fixture.unified.current("order::17") == #"2-bb {"n":2}"#)
        #expect(try await fixture.unified.feed() == ["order::17@2-bb"])
        #expect(try await orders.feed() == ["17@2-bb"])
        try await fixture.expectSound()
    }

    @Test("A document that a 2.x+ client creates gets its legacy ID by the same rule")
    func derived() async throws {
        let fixture = try await stripping()
        try await fixture.collection("sales.orders").pushModern("18", "1-aa")
        #expect(try await fixture.unified.feed() == ["order::18@1-aa"])
        try await fixture.unified.push("order::18", "2-bb", "1-aa")
        #expect(try await fixture.collection("sales.orders").feed() == ["18@2-bb"])
        try await fixture.expectSound()
    }

    @Test("With one ID in two collections, the second document gets a qualified legacy ID, sales.orders::17")
    func qualified() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders", "sales.bills") }
        let (orders, bills) = (try fixture.collection("sales.orders"), try fixture.collection("sales.bills"))
        try await fixture.unified.push("17", "1-aa", body: #"{"n":1}"#)
        try await orders.pushModern("17", "1-bb", body: #"{"n":2}"#)
        try await bills.pushModern("17", "1-cc", body: #"{"n":3}"#)
        #expect(try await fixture.unified.feed() == ["17@1-aa", "sales.orders::17@1-bb", "sales.bills::17@1-cc"])
        #expect(try await orders.current("17") == #"1-bb {"n":2}"#)
        #expect(try await fixture.unified.current("17") == #"1-aa {"n":1}"#)
        try await fixture.unified.push("sales.orders::17", "2-dd", "1-bb", body: #"{"n":4}"#)
        #expect(try await orders.current("17") == #"2-dd {"n":4}"#)
        #expect(try await bills.current("17") == #"1-cc {"n":3}"#)
        try await fixture.expectSound()
    }

    @Test("A legacy document whose place is taken stays in the default collection and overwrites nothing")
    func taken() async throws {
        let fixture = try await stripping()
        let orders = try fixture.collection("sales.orders")
        try await fixture.collection("_default._default").pushModern("order::17", "1-aa", body: #"{"n":1}"#)
        try await orders.pushModern("17", "1-bb", body: #"{"n":2}"#)
        #expect(try await fixture.unified.feed() == ["order::17@1-aa", "sales.orders::17@1-bb"])
        try await fixture.unified.push("order::17", "2-cc", "1-aa", body: #"{"n":3}"#)
        #expect(try await orders.current("17") == #"1-bb {"n":2}"#)
        #expect(try await fixture.collection("_default._default").current("order::17") == #"2-cc {"n":3}"#)
        try await fixture.expectSound()
    }

    @Test("A legacy document whose place is taken is misplaced from the start")
    func takenIsMisplaced() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders") }
        try await fixture.collection("sales.orders").pushModern("17", "1-aa")
        let database = try await fixture.reopened { try $0.route(.idPrefix("order::"), to: "sales.orders", strip: true) }
        try await database.unified.push("order::17", "1-bb")
        #expect(try await database.unified.feed() == ["17@1-aa", "order::17@1-bb"])
        #expect(try await database.unified.record("order::17").flags.contains(.misplaced))
        #expect(try await database.keyspace(.default)?.counts().misplaced == 1)
        try await database.unified.push("order::17", "2-cc", "1-bb")
        #expect(try await database.unified.counts().misplaced == 1)
        try await fixture.expectSound()
    }

    @Test("If the qualified ID is taken as well, a counter is appended, and all are counted")
    func counter() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders", "sales") }
        for id in ["17", "sales.orders::17", "sales.orders::17::2"] { try await fixture.unified.push(id, "1-aa") }
        try await fixture.collection("sales.orders").pushModern("17", "1-bb")
        #expect(try await fixture.unified.record("sales.orders::17::3").id == "17")
        #expect(try await fixture.unified.record("sales.orders::17::3").flags.contains(.qualified))
        #expect(try await fixture.unified.counts().qualified == 1)
        #expect(try await fixture.collection("sales.orders").counts().qualified == 1)
        // Written by both sides, it is still counted once.
        try await fixture.unified.push("sales.orders::17::3", "2-cc", "1-bb")
        try await fixture.collection("sales.orders").pushModern("17", "3-dd", "2-cc", deleted: true)
        #expect(try await fixture.unified.counts().qualified == 1)
        #expect(try await fixture.store.check().qualified == 1)
        try await fixture.expectSound()
    }

    @Test("A qualified ID of the default scope does not begin with an underscore, which is not allowed in a document ID")
    func defaultScope() async throws {
        let fixture = try await Fixture { try $0.add("orders") }
        try await fixture.unified.push("1", "1-aa")
        try await fixture.collection("orders").pushModern("1", "1-bb")
        try await fixture.collection("orders").pushModern("2", "1-cc")
        try await fixture.collection("_default._default").pushModern("2", "1-dd")
        #expect(try await fixture.unified.feed() == ["1@1-aa", "orders::1@1-bb", "2@1-cc", "default::2@1-dd"])
        try await fixture.unified.push("default::2", "2-ee", "1-dd")
        #expect(try await fixture.collection("_default._default").record("2").winner.text == "2-ee")
        try await fixture.expectSound()
    }

    @Test("A legacy ID that would be too long is qualified by a digest: limited, unique and deterministic, without a refused write")
    func tooLong() async throws {
        let long = String(repeating: "é", count: 120)
        let name = CollectionName(scope: "sales", name: "orders")
        var ids: [String] = []
        for _ in 0..<2 {
            let fixture = try await stripping()
            let orders = try fixture.collection("sales.orders")
            // Derived, it would have 7 bytes more; only 250 are allowed.
            try await orders.pushModern(long + "abcd", "1-aa")
            // Derived, it fits, but is taken; qualified, it would have 254 bytes.
            try await fixture.collection("_default._default").pushModern("order::" + long, "1-bb")
            try await orders.pushModern(long, "1-cc")
            try await fixture.unified.push(LegacyID.qualified(long + "x", in: name, attempt: 1), "1-dd")
            try await fixture.collection("_default._default").pushModern("order::" + long + "x", "1-ee")
            try await orders.pushModern(long + "x", "1-ff")
            for id in [long + "abcd", long, long + "x"] {
                let unifiedID = try #require(try await orders.record(id).unifiedID)
                #expect(unifiedID.utf8.count <= 240)
                #expect(unifiedID.hasPrefix("sales.orders::é"))
                #expect(try await fixture.unified.record(unifiedID).id == id)
                ids.append(unifiedID)
            }
            #expect(try await fixture.unified.counts().qualified == 3)
            try await fixture.expectSound()
        }
        #expect(Set(ids).count == 3)
        #expect(ids[2].hasSuffix("::2"))
    }

    @Test("Scope and collection names of any length leave room for the digest")
    func longNames() {
        let name = String(repeating: "n", count: 251)
        for attempt in [1, 2, 1_000_000] {
            let id = LegacyID.qualified("17", in: CollectionName(scope: name, name: name), attempt: attempt)
            #expect(id.utf8.count == 240)
            #expect(id != LegacyID.qualified("18", in: CollectionName(scope: name, name: name), attempt: attempt))
        }
    }
}
