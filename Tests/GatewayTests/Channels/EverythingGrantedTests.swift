import Gateway
import Storage
import Testing

/// What comes to somebody who is given `*` after documents were written, as a Sync Gateway 3.2.7 sends it.
@Suite("The channel * granted after the fact")
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

    @Test("Who begins gets every document once", arguments: [1, 2, 100])
    func fresh(limit: Int) async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: ["books", "*"])
        let rows = try await fixture.unified.seen(by: "anna").rows(limit: limit)
        #expect(rows.sorted() == ["b1", "bg", "g1 again", "p1"])
    }

    @Test("Who was caught up gets what he could not see, also where something is written before he comes again")
    func caughtUp() async throws {
        let fixture = try await fixture()
        let keyspace = fixture.unified.seen(by: "anna")
        let before = try await keyspace.read()
        #expect(before.rows.sorted() == ["b1", "bg", "p1"])
        try await fixture.user("anna", channels: ["books", "*"])
        try await fixture.unified.put("later", channels: ["gifts"])
        #expect(try await keyspace.rows(since: before.position) == ["g1 again", "later"])
        // Who has it in place of the other channel gets all of it.
        try await fixture.user("bert", channels: ["books"])
        let bert = fixture.unified.seen(by: "bert")
        let place = try await bert.read().position
        try await fixture.user("bert", channels: ["*"])
        #expect(try await bert.rows(since: place).sorted() == ["b1 again", "bg again", "g1 again", "later again"])
    }

    @Test("Who was away gets what was written before the grant, too")
    func away() async throws {
        let fixture = try await fixture()
        let keyspace = fixture.unified.seen(by: "anna")
        let before = try await keyspace.read()
        try await fixture.unified.put("b2", channels: ["books"])
        try await fixture.user("anna", channels: ["books", "*"])
        #expect(try await keyspace.rows(since: before.position).sorted() == ["b2", "g1 again"])
    }

    @Test("A document that left a channel before the grant is not taken away")
    func left() async throws {
        let fixture = try await fixture()
        let keyspace = fixture.unified.seen(by: "anna")
        let before = try await keyspace.read()
        try await fixture.unified.put("b1", channels: ["gifts"])
        try await fixture.user("anna", channels: ["books", "*"])
        #expect(try await keyspace.rows(since: before.position).sorted() == ["b1 again", "g1 again"])
    }

    @Test("A role's * is as good as the user's own")
    func role() async throws {
        let fixture = try await fixture()
        try await fixture.role("all", channels: ["*"])
        try await fixture.user("anna", channels: ["books"], roles: ["all"])
        #expect(try await fixture.unified.seen(by: "anna").rows().sorted() == ["b1", "bg", "g1 again", "p1"])
    }

    @Test("A channel that is lost right after its backfill is taken back from the device")
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
