import Documents
import Storage
import Testing

@testable import Gateway

@Suite("One document, one collection")
struct PlaceTests {
    private func orders() async throws -> Fixture {
        try await Fixture {
            try $0.add("sales.orders")
            try $0.route(.property(name: "type", equals: .string("order")), to: "sales.orders")
        }
    }

    @Test("A document is in exactly one collection, and the unified keyspace is a view of it")
    func view() async throws {
        let fixture = try await orders()
        try await fixture.unified.push("a", "2-bb", "1-aa", body: #"{"type":"order","n":1.0}"#)
        let legacy = try await fixture.unified.revision(.current, of: "a")
        let modern = try await fixture.collection("sales.orders").revision(.current, of: "a")
        #expect(legacy.body == modern.body)
        #expect(legacy.revision == modern.revision)
        #expect(legacy.history == modern.history)
        #expect(legacy.history.map(\.text) == ["2-bb", "1-aa"])
        #expect(try await fixture.collection("_default._default").current("a") == nil)
        #expect(try await fixture.unified.record("a").key == fixture.collection("sales.orders").record("a").key)
        try await fixture.expectSound()
    }

    @Test("Both keyspaces show one stored document after writes through either", arguments: [true, false])
    func edits(fromLegacy: Bool) async throws {
        let fixture = try await orders()
        try await fixture.unified.push("a", "1-aa", body: #"{"type":"order"}"#)
        let orders = try fixture.collection("sales.orders")
        let writer = fromLegacy ? fixture.unified : orders
        try await writer.push("a", "2-bb", "1-aa", body: #"{"type":"order","n":2}"#)
        for keyspace in [fixture.unified, orders] {
            #expect(try await keyspace.current("a") == #"2-bb {"type":"order","n":2}"#)
            #expect(try await keyspace.feed() == ["a@2-bb"])
        }
        try await fixture.expectSound()
    }

    @Test("Every write takes the next number of the database's counter, and sets both sequences")
    func counter() async throws {
        let fixture = try await orders()
        let start = try await fixture.unified.lastSequence().value
        try await fixture.unified.push("a", "1-aa")
        try await fixture.collection("sales.orders").pushModern("b", "1-aa")
        try await fixture.unified.push("b", "2-bb", "1-aa")
        let a = try await fixture.unified.record("a")
        let b = try await fixture.unified.record("b")
        #expect(a.sequence == SequenceNumber(start + 1))
        #expect(a.collectionSequence == SequenceNumber(start + 1))
        #expect(b.sequence == SequenceNumber(start + 3))
        #expect(b.collectionSequence == SequenceNumber(start + 3))
        #expect(try await fixture.unified.lastSequence().value == start + 3)
    }

    @Test(
        "Numbers and escapes of bodies are unchanged",
        arguments: [
            #"{"n":1.0}"#, #"{"n":1e400}"#, #"{"n":12345678901234567890}"#, #"{ "s" : "\u00e9\/" }"#, #"{"n":-0.0,"m":1E+2}"#,
        ])
    func bytes(body: String) async throws {
        let fixture = try await orders()
        try await fixture.unified.push("a", "1-aa", body: body)
        try await fixture.unified.push("a", "2-bb", "1-aa", body: "{}")
        #expect(try await fixture.unified.body("a", "1-aa") == body)
        try await fixture.unified.push("a", "3-cc", "2-bb", "1-aa", body: body)
        #expect(try await fixture.unified.current("a") == "3-cc " + body)
    }

    @Test("Canonically equivalent but different IDs are two documents")
    func unicode() async throws {
        let fixture = try await orders()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        try await fixture.unified.push(composed, "1-aa", body: #"{"n":1}"#)
        try await fixture.unified.push(decomposed, "1-bb", body: #"{"n":2}"#)
        #expect(try await fixture.unified.current(composed) == #"1-aa {"n":1}"#)
        #expect(try await fixture.unified.current(decomposed) == #"1-bb {"n":2}"#)
        #expect(try await fixture.unified.feed().count == 2)
        try await fixture.expectSound()
    }

    @Test("The default collection is the unified keyspace, the remainder, or either by the other requested collections")
    func defaultCollection() async throws {
        let fixture = try await orders()
        let orders = try #require(CollectionName("sales.orders"))
        #expect(fixture.database.keyspaces([.default]).map { $0?.scope } == [.unified])
        #expect(fixture.database.keyspaces([.default, orders]).first??.scope == .collection(.default))
        #expect(fixture.database.keyspaces([CollectionName(scope: "no", name: "such")]).first?.map(\.name) == nil)
        let unified = try await fixture.reopened { $0.defaultCollection = .unified }
        #expect(unified.keyspaces([.default, orders]).first??.scope == .unified)
        let remainder = try await fixture.reopened { $0.defaultCollection = .remainder }
        #expect(remainder.keyspaces([.default]).first??.scope == .collection(.default))
    }
}
