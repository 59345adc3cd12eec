import Gateway
import Storage
import Testing

/// Rows for a user who is granted `*` after documents were written, as Sync Gateway 3.2.7 sends them.
@Suite("Later grants of the channel *")
struct EverythingGrantedTests {
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["books"])
        try await fixture.unified.put("b1", channels: ["books"])
        try await fixture.unified.put("g1", channels: ["gifts"])
        try await fixture.unified.put("p1", channels: ["!"])
        try await fixture.unified.put("bg", channels: ["books", "gifts"])
        return fixture
    }

    @Test("A new client gets every document once", arguments: [1, 2, 100])
    func fresh(limit: Int) async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: ["books", "*"])
        let rows = try await fixture.unified.seen(by: "anna").rows(limit: limit)
        #expect(rows.sorted() == ["b1", "bg", "g1 again", "p1"])
    }

    @Test("A client that was caught up gets the documents that were hidden, also after a write in between")
    func caughtUp() async throws {
        let fixture = try await fixture()
        let keyspace = fixture.unified.seen(by: "anna")
        let before = try await keyspace.read()
        #expect(before.rows.sorted() == ["b1", "bg", "p1"])
        try await fixture.user("anna", channels: ["books", "*"])
        try await fixture.unified.put("later", channels: ["gifts"])
        #expect(try await keyspace.rows(since: before.position) == ["g1 again", "later"])
        // A user who gets * in place of the other channel gets everything.
        try await fixture.user("bert", channels: ["books"])
        let bert = fixture.unified.seen(by: "bert")
        let place = try await bert.read().position
        try await fixture.user("bert", channels: ["*"])
        #expect(try await bert.rows(since: place).sorted() == ["b1 again", "bg again", "g1 again", "later again"])
    }

    @Test("A client that was offline gets the documents from before the grant, too")
    func away() async throws {
        let fixture = try await fixture()
        let keyspace = fixture.unified.seen(by: "anna")
        let before = try await keyspace.read()
        try await fixture.unified.put("b2", channels: ["books"])
        try await fixture.user("anna", channels: ["books", "*"])
        #expect(try await keyspace.rows(since: before.position).sorted() == ["b2", "g1 again"])
    }

    @Test("A document that left a channel before the grant is not removed")
    func left() async throws {
        let fixture = try await fixture()
        let keyspace = fixture.unified.seen(by: "anna")
        let before = try await keyspace.read()
        try await fixture.unified.put("b1", channels: ["gifts"])
        try await fixture.user("anna", channels: ["books", "*"])
        #expect(try await keyspace.rows(since: before.position).sorted() == ["b1 again", "g1 again"])
    }

    @Test("A role's * counts like the user's own")
    func role() async throws {
        let fixture = try await fixture()
        try await fixture.role("all", channels: ["*"])
        try await fixture.user("anna", channels: ["books"], roles: ["all"])
        #expect(try await fixture.unified.seen(by: "anna").rows().sorted() == ["b1", "bg", "g1 again", "p1"])
    }

    @Test("A channel that is lost right after its backfill is revoked")
    func lostAfterBackfill() async throws {
        let fixture = try await fixture()
        let keyspace = fixture.unified.seen(by: "anna")
        try await fixture.user("anna", channels: ["gifts"])
        var query = ChangesQuery()
        query.includesRevocations = true
        let place = try await keyspace.changes(query).rows.last?.position
        try await fixture.user("anna", channels: [])
        let rows = try await keyspace.rows(since: try #require(place))
        #expect(rows.contains("g1 revoked gifts"))
    }
}
