import Documents
import Gateway
import Storage
import Testing

/// Branches in channels of their own, which Couchbase Lite 1.x pulls with `style=all_docs`.
@Suite("Visible branches of documents in conflict")
struct BranchesInSightTests {
    private func leaves(_ keyspace: Keyspace, since: FeedPosition = .zero, asked channels: Set<String>? = nil) async throws -> [[String]] {
        var query = ChangesQuery()
        query.channels = channels
        query.since = since
        query.allLeaves = true
        query.includesRevocations = true
        return try await keyspace.changes(query).rows.map { [$0.revision] + $0.otherLeaves }
    }

    @Test("The row of a removed document has its visible branches, and no others")
    func left() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.push("1", "1-aa", body: #"{"channels":["a"]}"#)
        let place = try await anna.read().position
        try await fixture.unified.push("1", "1-99", body: #"{"channels":["x"]}"#)
        try await fixture.unified.push("1", "1-bb", body: #"{"channels":["x"]}"#)
        #expect(try await leaves(anna, since: place) == [["1-bb", "1-aa"]])
        try await anna.read { snapshot in
            let branch = try snapshot.document("1")?.content(of: try revision("1-aa"))
            #expect(branch?.body.properties == Array(#"{"channels":["a"]}"#.utf8))
        }
    }

    @Test("A branch is readable by its own channels, also if its reader cannot see the winner, and nothing else of the document is")
    func winnerNeverSeen() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.push("1", "2-cc", "1-bb", body: #"{"channels":["x"]}"#)
        try await anna.read {
            let document = try $0.document("1"); #expect(document == nil)
        }
        try await fixture.unified.push("1", "1-aa", body: #"{"channels":["a"]}"#)
        try await anna.read { snapshot in
            let document = try #require(try snapshot.document("1"))
            #expect(try document.content(of: try revision("1-aa"))?.body.properties == Array(#"{"channels":["a"]}"#.utf8))
            for hidden in ["2-cc", "1-bb"] { #expect(try document.announced(try revision(hidden)) == nil) }
            #expect(document.isWithheld && !document.isTakenBack)
            #expect(try document.channels(in: .unified) == [])
        }
        await #expect(throws: GatewayError.self) { try await anna.revision(.current, of: "1") }
        #expect(try await leaves(anna) == [])
    }

    @Test("A revocation has the branches in the reader's remaining channels")
    func revoked() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        try await fixture.unified.push("1", "1-aa", body: #"{"channels":["a"]}"#)
        try await fixture.unified.push("1", "1-bb", body: #"{"channels":["b"]}"#)
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.user("anna", channels: ["a"])
        #expect(try await leaves(anna, since: place) == [["1-bb", "1-aa"]])
    }

    @Test("A revocation names no branch that was written after it", arguments: [["b", "*"], ["a", "b"]])
    func branchAfterLoss(channels: Set<String>) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: channels)
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.push("1", "1-bb", body: #"{"channels":["a"]}"#)
        let place = try await anna.read().position
        try await fixture.user("anna", channels: ["b"])
        try await fixture.unified.push("1", "1-aa", body: #"{"channels":["b"]}"#)
        #expect(try await leaves(anna, since: place) == [["1-bb"]])
    }

    @Test("A grant of * sends documents whose losing branches were hidden")
    func everything() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.push("1", "1-aa", body: #"{"channels":["x"]}"#)
        try await fixture.unified.push("1", "1-bb", body: #"{"channels":["a"]}"#)
        try await fixture.unified.push("2", "1-bb", body: #"{"channels":["a"]}"#)
        let place = try await anna.read().position
        try await fixture.user("anna", channels: ["a", "*"])
        #expect(try await leaves(anna, since: place) == [["1-bb", "1-aa"]])
    }

    @Test(
        "A grant of another channel of a document sends the branches that have become visible",
        arguments: [["b", "c", "x"], ["b", "*"]])
    func anotherChannel(channels: [String]) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["b"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.push("1", "1-aa", body: #"{"channels":["x"]}"#)
        try await fixture.unified.push("1", "1-bb", body: #"{"channels":["b","c"]}"#)
        try await fixture.unified.push("2", "1-bb", body: #"{"channels":["b","c"]}"#)
        let place = try await anna.read().position
        try await fixture.user("anna", channels: Set(channels))
        #expect(try await leaves(anna, since: place) == [["1-bb", "1-aa"]])
        #expect(try await leaves(anna, since: place, asked: ["b", "c"]) == [["1-bb", "1-aa"]])
        #expect(try await anna.rows(since: place) == [], "a client that follows winners alone has it")
    }
}
