import Documents
import Gateway
import Storage
import Testing

@Suite("Filter functions of design documents")
struct FilterTests {
    private func fixture(_ filters: String) async throws -> Fixture {
        let fixture = try await Fixture {
            try $0.add("s.orders")
            try $0.route(.javaScript("function (doc) { return true; }"), to: "s.orders")
            $0.collections[0].syncFunction = "function (doc) { throw({forbidden: 'no'}); }"
        }
        try await fixture.unified.edit("_design/app", body: #"{"filters":{"f":"\#(filters)"}}"#)
        return fixture
    }

    private func select(_ keyspace: Keyspace, _ name: String = "app/f", parameters: String = "{}") async throws -> [String] {
        var query = ChangesQuery()
        query.allLeaves = true
        query.includesRevocations = true
        let filter = try await keyspace.filter(name, parameters: Array(parameters.utf8))
        let rows = try await filter.select(try await keyspace.changes(query).rows)
        return rows.map { ([$0.id, $0.revision] + $0.otherLeaves).joined(separator: " ") }
    }

    @Test("Routes and sync functions are not applied to design documents")
    func design() async throws {
        let fixture = try await fixture("function (doc) { return false }")
        #expect(try await fixture.collection("_default").record("_design/app").collection == .default)
        #expect(try await select(fixture.unified) == [])
        let parent = try await fixture.unified.record("_design/app").winner.text
        try await fixture.unified.edit("_design/app", parent: parent, body: #"{"filters":{"f":"function () { return true }"}}"#)
        #expect(try await select(fixture.unified).count == 1)
        try await fixture.expectSound()
    }

    @Test("Only an administrator writes design documents, and only in the unified keyspace")
    func rights() async throws {
        let fixture = try await fixture("function (doc) { return true }")
        try await fixture.user("anna", channels: ["*"])
        let anna = fixture.unified.seen(by: "anna")
        #expect(try await code { try await anna.edit("_design/x") } == .forbidden)
        #expect(try await code { try await anna.push("_design/app", "9-a") } == .forbidden)
        #expect(try await code { try await fixture.collection("s.orders").edit("_design/x") } == .badRequest)
        #expect(try await anna.current("_design/app") != nil)
        try await fixture.user("bert", channels: ["b"])
        #expect(try await fixture.unified.seen(by: "bert").current("_design/app") == nil)
        #expect(try await select(fixture.unified.seen(by: "bert")) == [], "its filters can be used")
    }

    @Test("A function gets the document as its reader sees it, and the request's parameters and user")
    func request() async throws {
        let fixture = try await Fixture()
        try await fixture.role("staff", channels: [])
        try await fixture.user("anna", channels: ["a"], roles: ["staff"])
        let source =
            "function (doc, req) { if (JSON.stringify(Object.keys(req)) !== '[\\\"query\\\",\\\"userCtx\\\"]') return false; "
            + "return doc.owner === req.query.owner && doc._id !== undefined && doc._rev !== undefined "
            + "&& (req.userCtx.name === null || req.userCtx.roles[0] === 'staff') && req.userCtx.db === 'db' }"
        try await fixture.unified.edit("_design/app", body: #"{"language":"javascript","filters":{"f":"\#(source)"}}"#)
        for (id, channel, owner) in [("1", "a", "w"), ("2", "b", "w"), ("3", "a", "v")] {
            try await fixture.unified.put(id, channels: [channel], with: #""owner":"\#(owner)""#)
        }
        #expect(try await select(fixture.unified, parameters: #"{"owner":"w"}"#).map { $0.first } == ["1", "2"])
        #expect(try await select(fixture.unified.seen(by: "anna"), parameters: #"{"owner":"w"}"#).map { $0.first } == ["1"])
        #expect(try await select(fixture.collection("_default"), parameters: #"{"owner":"v"}"#).map { $0.first } == ["3"])
    }

    @Test("Unselected leaves are omitted, tombstones are evaluated, and removals are always included")
    func rows() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.edit("_design/app", body: #"{"filters":{"f":"function (doc) { return doc.n == 1 || doc._deleted }"}}"#)
        try await fixture.unified.push("1", "2-bb", "1-aa", body: #"{"n":2,"channels":["a"]}"#)
        try await fixture.unified.push("1", "2-aa", "1-aa", body: #"{"n":1,"channels":["a"]}"#)
        try await fixture.unified.push("2", "1-aa", body: #"{"n":2,"channels":["a"]}"#)
        try await fixture.unified.push("3", "1-aa", body: #"{"n":2,"channels":["a"]}"#)
        try await fixture.unified.push("4", "1-aa", body: #"{"n":2,"channels":["a"]}"#)
        try await fixture.unified.push("3", "2-bb", "1-aa", deleted: true)
        try await fixture.unified.push("4", "2-bb", "1-aa", body: #"{"n":2,"channels":["x"]}"#)
        #expect(try await select(fixture.unified.seen(by: "anna")) == ["1 2-aa", "3 2-bb", "4 2-bb"])
    }

    @Test(
        "An unusable filter is an error with a reason",
        arguments: [
            ("app/f", "function (doc) { throw 'oops' }", GatewayError.Code.script, "oops"),
            ("app/f", "function (doc) { while (true) {} }", .script, "app/f"),
            ("app/f", "function (doc) {", .script, "app/f"), ("app/f", "42", .script, "app/f"),
            ("app/none", "function (doc) {}", .notFound, "missing"), ("none/f", "function (doc) {}", .notFound, "missing"),
            ("app", "function (doc) {}", .badRequest, "app"),
        ])
    func failures(_ name: String, _ source: String, _ code: GatewayError.Code, _ text: String) async throws {
        let fixture = try await Fixture()
        try await fixture.unified.edit("_design/app", body: #"{"filters":{"f":"\#(source)"}}"#)
        let error = try await failure { _ = try await select(fixture.unified, name) }
        #expect(error.code == code)
        #expect(error.message.contains(text), "\(error.message)")
    }

    @Test("A deleted design document is missing, and one in another language is not run")
    func others() async throws {
        let fixture = try await Fixture()
        let revision = try await fixture.unified.edit("_design/app", body: #"{"filters":{"f":"function () {}"},"language":"erlang"}"#)
        #expect(try await failure { _ = try await select(fixture.unified) }.message.contains("erlang"))
        try await fixture.unified.edit("_design/app", parent: revision, deleted: true)
        #expect(try await code { _ = try await select(fixture.unified) } == .deleted)
    }
}
