import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Routing")
struct RoutingTests {
    /// The collections of documents.
    private func places(_ fixture: Fixture, _ documents: KeyValuePairs<String, String>) async throws -> [String] {
        var places: [String] = []
        for (id, body) in documents {
            try await fixture.unified.push(id, "1-aa", body: body)
            let record = try await fixture.unified.record(id)
            let collection = try #require(fixture.database.collections[record.collection])
            places.append("\(collection.scope).\(collection.name)/\(record.id)")
        }
        try await fixture.expectSound()
        return places
    }

    @Test("A property's value selects a route, and rules are tried in order")
    func property() async throws {
        let fixture = try await Fixture {
            try $0.add("s.text", "s.number", "s.bool")
            try $0.route(.property(name: "type", equals: .string("order")), to: "s.text")
            try $0.route(.property(name: "n", equals: .number(1)), to: "s.number")
            try $0.route(.property(name: "flag", equals: .bool(true)), to: "s.bool")
        }
        let places = try await places(
            fixture,
            [
                "a": #"{"type":"order"}"#, "b": #"{"t\u0079pe":"ord\u0065r"}"#, "c": #"{"n":1}"#, "d": #"{"n":1.0}"#, "e": #"{"n":"1"}"#,
                "f": #"{"flag":true}"#, "g": #"{"flag":1}"#, "h": #"{"sub":{"type":"order"}}"#, "i": #"{"type":["order"]}"#,
            ])
        #expect(
            places == [
                "s.text/a", "s.text/b", "s.number/c", "s.number/d", "_default._default/e", "s.bool/f", "_default._default/g",
                "_default._default/h", "_default._default/i",
            ])
    }

    @Test("A prefix of the document ID selects a route, which may strip it")
    func prefix() async throws {
        let fixture = try await Fixture {
            try $0.add("s.whole", "s.cut")
            try $0.route(.idPrefix("user:"), to: "s.whole")
            try $0.route(.idPrefix("order::"), to: "s.cut", strip: true)
        }
        let places = try await places(
            fixture, ["user:1": "{}", "order::17": "{}", "order::": "{}", "order::_x": "{}", "order:17": "{}", "ORDER::17": "{}"])
        #expect(
            places == [
                "s.whole/user:1", "s.cut/17", "_default._default/order::", "_default._default/order::_x", "_default._default/order:17",
                "_default._default/ORDER::17",
            ])
    }

    @Test("A prefix is removed by bytes, and a combining character behind it belongs to the rest")
    func prefixBytes() async throws {
        let fixture = try await Fixture {
            try $0.add("s.cut")
            try $0.route(.idPrefix("order:"), to: "s.cut", strip: true)
        }
        let places = try await places(fixture, ["order:\u{301}17": "{}", "order:17": "{}", "order:_\u{301}": "{}"])
        #expect(
            places.map { Array($0.utf8) } == ["s.cut/\u{301}17", "s.cut/17", "_default._default/order:_\u{301}"].map { Array($0.utf8) })
    }

    @Test("An ID pattern selects a route")
    func pattern() async throws {
        let fixture = try await Fixture {
            try $0.add("s.numbers")
            try $0.route(.idPattern("^[0-9]+$"), to: "s.numbers")
        }
        #expect(
            try await places(fixture, ["17": "{}", "17a": "{}", "é17": "{}"]) == [
                "s.numbers/17", "_default._default/17a", "_default._default/é17",
            ])
    }

    @Test("A channel selects a route")
    func channel() async throws {
        let fixture = try await Fixture {
            try $0.add("s.east")
            try $0.route(.channel("east"), to: "s.east")
        }
        let places = try await places(
            fixture, ["a": #"{"channels":"east"}"#, "b": #"{"channels":["west","east"]}"#, "c": #"{"channels":{"east":1}}"#, "d": "{}"])
        #expect(places == ["s.east/a", "s.east/b", "_default._default/c", "_default._default/d"])
    }

    @Test("A JavaScript predicate selects a route, and one that throws does not")
    func javaScript() async throws {
        let fixture = try await Fixture {
            try $0.add("s.big")
            try $0.route(.javaScript("function (doc) { return doc.order.total > 100 }"), to: "s.big")
        }
        let places = try await places(fixture, ["a": #"{"order":{"total":101}}"#, "b": #"{"order":{"total":1}}"#, "c": "{}"])
        #expect(places == ["s.big/a", "_default._default/b", "_default._default/c"])
    }

    @Test("The first matching rule decides, and a document without one is in the default collection")
    func order() async throws {
        let fixture = try await Fixture {
            try $0.add("s.first", "s.second")
            try $0.route(.idPrefix("a"), to: "s.first")
            try $0.route(.javaScript("function (doc) { return true }"), to: "s.second")
        }
        #expect(try await places(fixture, ["a1": "{}", "b1": "{}"]) == ["s.first/a1", "s.second/b1"])
        let none = try await Fixture()
        #expect(try await places(none, ["a1": "{}"]) == ["_default._default/a1"])
    }

    @Test("A document whose first revision is an empty tombstone is in the default collection")
    func tombstone() async throws {
        let fixture = try await Fixture {
            try $0.add("s.c")
            try $0.route(.idPrefix("a"), to: "s.c")
        }
        try await fixture.unified.push("a1", "2-bb", "1-aa", deleted: true)
        #expect(try await fixture.collection("_default._default").feed() == ["!a1@2-bb"])
        #expect(try await fixture.collection("s.c").feed() == [])
    }

    @Test("Only documents that are created in the unified keyspace are routed")
    func unifiedOnly() async throws {
        let fixture = try await Fixture {
            try $0.add("s.c")
            try $0.route(.idPrefix("a"), to: "s.c")
        }
        try await fixture.collection("_default._default").pushModern("a1", "1-aa")
        #expect(try await fixture.collection("_default._default").feed() == ["a1@1-aa"])
        #expect(try await fixture.collection("s.c").feed() == [])
    }

    @Test("A placed document stays in its collection, and a later revision with another route is counted as misplaced")
    func pinned() async throws {
        let fixture = try await Fixture {
            try $0.add("s.orders", "s.bills")
            try $0.route(.property(name: "type", equals: .string("order")), to: "s.orders")
            try $0.route(.property(name: "type", equals: .string("bill")), to: "s.bills")
        }
        let orders = try fixture.collection("s.orders")
        try await fixture.unified.push("a", "1-aa", body: #"{"type":"order"}"#)
        #expect(try await fixture.unified.counts().misplaced == 0)
        try await fixture.unified.push("a", "2-bb", "1-aa", body: #"{"type":"bill"}"#)
        #expect(try await orders.feed() == ["a@2-bb"])
        #expect(try await orders.record("a").flags.contains(.misplaced))
        #expect(try await orders.counts().misplaced == 1)
        try await fixture.unified.push("a", "3-cc", "2-bb", deleted: true)
        #expect(try await orders.counts().misplaced == 1)
        try await fixture.unified.push("a", "4-dd", "3-cc", body: #"{"type":"order"}"#)
        #expect(try await orders.counts().misplaced == 0)
        try await fixture.expectSound()
    }
}
