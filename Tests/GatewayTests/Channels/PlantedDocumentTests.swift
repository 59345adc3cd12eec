import Documents
import Gateway
import Storage
import Testing

/// The default collection accepts documents that the function of `sales.orders` refuses. A document that a user writes there grants no
/// access.
@Suite("Documents outside the collection of their route")
struct PlantedDocumentTests {
    private static let orders = """
        function (doc, oldDoc) {
          if (!doc._deleted) requireRole('sales');
          channel(doc.channels);
          if (doc.to) { access(doc.to, doc.gives); role(doc.to, doc.makes || []); }
        }
        """

    private func fixture(_ condition: RouteCondition = .property(name: "type", equals: .string("order"))) async throws -> Fixture {
        let fixture = try await Fixture { configuration in
            configuration.collections.append(
                CollectionConfiguration(name: try #require(CollectionName("sales.orders")), syncFunction: Self.orders))
            try configuration.route(condition, to: "sales.orders")
            configuration.defaultCollection = .remainder
        }
        try await fixture.role("sales", channels: ["s"])
        try await fixture.user("anna", channels: ["a"])
        try await fixture.user("olga", channels: ["a"], roles: ["sales"])
        return fixture
    }

    private static let planted = #"{"type":"order","channels":["a"],"to":"anna","gives":["s"],"makes":["role:sales"]}"#

    @Test("A user's write that the routes would place elsewhere is evaluated by that collection's function, too")
    func writes() async throws {
        for condition in [
            RouteCondition.property(name: "type", equals: .string("order")), .javaScript("function (doc) { return doc.type == 'order' }"),
        ] {
            let fixture = try await fixture(condition)
            let (anna, olga) = (fixture.unified.seen(by: "anna"), fixture.unified.seen(by: "olga"))
            let remainder = try fixture.collection("_default")
            #expect(try await code { try await anna.edit("new", body: Self.planted) } == .forbidden)
            // A note that becomes an order.
            let note = try await anna.edit("note", body: #"{"channels":["a"]}"#)
            #expect(try await code { try await anna.edit("note", parent: note, body: Self.planted) } == .forbidden)
            #expect(try await code { try await anna.push("note", "2-aa", note, body: Self.planted) } == .forbidden)
            // A tombstone that is revived as an order.
            try await anna.push("dead", "1-aa", body: "{}", deleted: true)
            #expect(try await code { try await anna.edit("dead", body: Self.planted) } == .forbidden)
            // The default collection by its name.
            #expect(try await code { try await remainder.seen(by: "anna").edit("named", body: Self.planted) } == .forbidden)
            #expect(try await code { try await remainder.seen(by: "olga").edit("named", body: Self.planted) } == nil)
            #expect(try await code { try await olga.edit("note", parent: note, body: Self.planted) } == nil)
            #expect(try await fixture.unified.record("note").collection == .default, "it stays in its collection")
            let named = try await fixture.unified.record("named").winner.text
            #expect(try await code { try await anna.edit("named", parent: named, deleted: true) } == nil)
            #expect(
                try await code {
                    try await anna.edit("note", parent: fixture.unified.record("note").winner.text, body: #"{"channels":["a"]}"#)
                } == nil)
            try await fixture.expectSound()
        }
    }

    @Test("A move keeps the document's grants, and adds more only if that is allowed", arguments: [false, true])
    func moves(allowed: Bool) async throws {
        let fixture = try await Fixture { configuration in
            configuration.collections.append(
                CollectionConfiguration(
                    name: .default, syncFunction: "function (doc) { channel(doc.channels); if (doc.old) access(doc.to, doc.old); }"))
        }
        try await fixture.role("sales", channels: ["r"])
        try await fixture.user("anna")
        try await fixture.unified.edit("planted", body: Self.planted)
        try await fixture.unified.edit("known", body: #"{"type":"order","channels":["k"],"to":"anna","old":"k","gives":"k"}"#)
        try await fixture.unified.put("secret", channels: ["s"], with: #""type":"order""#)
        let database = try await fixture.reopened { configuration in
            configuration.collections.append(
                CollectionConfiguration(name: try #require(CollectionName("sales.orders")), syncFunction: Self.orders))
            try configuration.route(.property(name: "type", equals: .string("order")), to: "sales.orders")
        }
        func check(_ tally: AccessChangeTally) async throws {
            let report = try await database.accessChangeReport(tally)
            #expect(report.newlyGrantingDocuments == 1)
            #expect(report.newGrants.map(\.to) == [#"user "anna""#] && report.newGrants.first?.channels == ["sales.orders": ["s"]])
            #expect(report.newGrants.first?.roles == ["sales"])
        }
        let preview = try #require(try await database.previewStep(after: DocumentKey(0), limit: 10, allowsNewGrants: allowed))
        try await check(preview.summary.sight)
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: "x"), allowsNewGrants: allowed)
        var sight = AccessChangeTally()
        while let step = try await steps.next(limit: 10) { sight += step.sight }
        try await check(sight)
        let name = try #require(CollectionName("sales.orders"))
        let orders = try #require(database.keyspace(name))
        let seen = try await orders.seen(by: "anna").rows().map { String($0.prefix { $0 != " " }) }
        #expect(seen.sorted() == (allowed ? ["known", "secret"] : ["known"]))
        #expect(try await code { try await orders.seen(by: "anna").edit("mine") } == (allowed ? nil : .forbidden))
        try await fixture.expectSound()
    }
}
