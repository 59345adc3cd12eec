import Documents
import Gateway
import Storage
import Testing

/// Rows of lost channels, as Sync Gateway 3.2.8 sends them: the client's position is in a backfill, behind it, or at the beginning.
@Suite("Revocations")
struct RevocationTests {
    @Test(
        "A channel that was granted after its documents and is lost is revoked, wherever the client stopped in the backfill",
        arguments: [1, 2, 3])
    func inBackfill(read: Int) async throws {
        let fixture = try await Fixture()
        for id in ["1", "2", "3"] { try await fixture.unified.put(id, channels: ["c"]) }
        try await fixture.user("anna", channels: ["c"])
        let anna = fixture.unified.seen(by: "anna")
        var query = ChangesQuery()
        query.limit = read
        let place = try #require(try await anna.changes(query).rows.last?.position)
        #expect(place.trigger != nil)
        try await fixture.user("anna")
        #expect(try await anna.rows(since: place) == ["1 revoked c", "2 revoked c", "3 revoked c"])
    }

    @Test("A new client gets the revocations of all lost channels, except for documents that were never visible", arguments: [1, 100])
    func reset(limit: Int) async throws {
        let fixture = try await Fixture()
        try await fixture.unified.put("before", channels: ["c"])
        try await fixture.unified.put("before", channels: ["x"])
        try await fixture.user("anna", channels: ["c"])
        try await fixture.unified.put("1", channels: ["c"])
        try await fixture.unified.put("2", channels: ["c"])
        try await fixture.unified.put("2", channels: ["x"])
        try await fixture.user("anna")
        try await fixture.unified.put("between", channels: ["c"])
        try await fixture.unified.put("between", channels: ["x"])
        try await fixture.user("anna", channels: ["c"])
        try await fixture.unified.put("3", channels: ["c"])
        try await fixture.user("anna")
        try await fixture.unified.put("after", channels: ["c"])
        try await fixture.unified.put("public", channels: ["!"])
        let anna = fixture.unified.seen(by: "anna")
        let told = ["1 revoked c", "2 revoked c", "3 revoked c", "public"]
        let (rows, place) = try await anna.read(limit: limit)
        #expect(rows.sorted() == told)
        #expect(try await anna.rows(limit: limit).sorted() == told, "whenever it begins again")
        #expect(try await anna.rows(since: place, limit: limit) == [])
        #expect(try await anna.rows { $0.activeOnly = true } == ["public"])
        for id in ["1", "before", "after", "between"] {
            #expect(try await anna.rows { $0.documentIDs = [ExactString(id)] } == told.filter { $0.hasPrefix(id) })
        }
    }

    /// Reads as a device does before a feed was read.
    enum FirstStep: CaseIterable {
        case push, propose, proposeVersion, compare, nothing
    }

    @Test(
        "A device that pushes or checks its revisions before the first feed gets later revocations",
        arguments: FirstStep.allCases)
    func beforeReading(step: FirstStep) async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await fixture.user("anna", channels: ["c"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["c"])
        let revision = try #require(try await fixture.unified.read { try $0.document("1")?.winner })
        switch step {
        case .push: try await anna.put("2", channels: ["c"])
        case .propose: _ = try await anna.answer([Proposal(id: "1", revision: revision, parent: nil)])
        case .proposeVersion:
            _ = try await anna.answer([VersionProposal(id: "1", revision: .tree(revision), parent: nil)], copy: nil, hasTree: true)
        case .compare: _ = try await anna.difference([("1", [revision])])
        case .nothing: break
        }
        try await fixture.user("anna")
        let lost = step == .nothing ? [] : step == .push ? ["1 revoked c", "2 revoked c"] : ["1 revoked c"]
        #expect(try await anna.rows() == lost)
    }

    @Test(
        "A document that leaves both of its channels while its reader changes from one to the other is revoked",
        arguments: [true, false])
    func exchanged(leavesFirst: Bool) async throws {
        let fixture = try await Fixture()
        try await fixture.unified.put("1", channels: ["a", "d"])
        try await fixture.user("anna", channels: ["d"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        if leavesFirst { try await fixture.unified.put("1", channels: ["x"]) }
        try await fixture.user("anna", channels: ["a"])
        if !leavesFirst { try await fixture.unified.put("1", channels: ["x"]) }
        let rows = try await anna.rows(since: place)
        #expect(rows == (leavesFirst ? ["1 revoked d"] : ["1 revoked d", "1 removed a"]))
    }

    @Test("The loss of * revokes no later documents")
    func everythingLost() async throws {
        let fixture = try await Fixture()
        for (id, channels) in [("1", ["c"]), ("2", []), ("3", ["c"])] { try await fixture.unified.put(id, channels: channels) }
        try await fixture.user("anna", channels: ["*"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.user("anna")
        try await fixture.unified.put("3", channels: ["d"])
        for (id, channels) in [("later", ["c"]), ("later still", [])] { try await fixture.unified.put(id, channels: channels) }
        #expect(try await anna.rows(since: place) == ["1 revoked *", "2 revoked *", "3 revoked *"])
    }

    @Test("A tombstone of a lost channel is deleted and revoked")
    func tombstone() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.put("1", channels: ["c"])
        try await fixture.user("anna", channels: ["c"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.unified.put("1", channels: nil)
        try await fixture.user("anna")
        #expect(try await anna.rows(since: place) == ["1 deleted revoked c"])
    }

    @Test("A revocation does not depend on the requested channels, because the lost channel may have brought the document")
    func filtered() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "c"])
        try await fixture.unified.put("1", channels: ["a", "c"])
        let anna = fixture.unified.seen(by: "anna")
        let asked = { (query: inout ChangesQuery) in query.channels = ["a"] }
        var place = try await anna.read(asked).position
        try await fixture.unified.put("1", channels: ["c"])
        place = try await anna.read(since: place, asked).position
        try await fixture.user("anna", channels: ["a"])
        #expect(try await anna.rows(since: place, asked) == ["1 revoked c"])
        // A document that was visible by * is revoked, too.
        try await fixture.user("bert", channels: ["*"])
        try await fixture.unified.put("2", channels: ["a"])
        let bert = fixture.unified.seen(by: "bert")
        place = try await bert.read(asked).position
        try await fixture.user("bert")
        #expect(try await bert.rows(since: place, asked).contains("2 revoked *"))
    }

    @Test("A document that left by its deletion and came back elsewhere is sent as deleted")
    func cameBackElsewhere() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.put("1", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.unified.put("1", channels: nil)
        try await fixture.unified.put("1", channels: ["x"])
        #expect(try await anna.rows(since: place) == ["1 deleted removed a"])
    }

    @Test("A revocation names the revision with which the document left the reader's last channel")
    func lastDeparture() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.unified.put("1", channels: ["a"])
        try await fixture.unified.put("1", channels: ["!"])
        let last = try await fixture.unified.put("1", channels: ["x"])
        try await fixture.user("anna")
        var query = ChangesQuery()
        query.since = place
        query.includesRevocations = true
        let rows = try await anna.changes(query).rows
        #expect(!rows.isEmpty && rows.allSatisfy { $0.isRemoval && $0.revision == last.text }, "\(rows)")
    }

    @Test("A client that asks for other channels gets only revocations of documents that have been in one of them")
    func neverAsked() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "c"])
        try await fixture.unified.put("1", channels: ["c"])
        let anna = fixture.unified.seen(by: "anna")
        let asked = { (query: inout ChangesQuery) in query.channels = ["a"] }
        let place = try await anna.read(asked).position
        try await fixture.user("anna", channels: ["a"])
        #expect(try await anna.rows(since: place, asked) == [])
    }

    @Test("A document that leaves a channel and grants it again to a former reader is sent as removed")
    func givesWhatItLeaves() async throws {
        let fixture = try await Fixture { configuration in
            configuration.collections.append(
                CollectionConfiguration(
                    name: .default, syncFunction: "function (doc) { channel(doc.channels); if (doc.to) access(doc.to, 'a'); }"))
        }
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.put("1", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read { $0.includesRevocations = false }.position
        try await fixture.user("anna")
        try await fixture.unified.put("1", channels: ["z"], with: #""to":"anna""#)
        let rows = try await anna.rows(since: place) { $0.includesRevocations = false }
        #expect(rows == ["1 removed a"])
    }

    @Test("The deletion with which a document left is sent once, when one channel was lost and the other was left", arguments: [1, 100])
    func deletedOnce(limit: Int) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        for id in ["lost first", "left first"] { try await fixture.unified.put(id, channels: ["a"]) }
        try await fixture.unified.put("lost first", channels: ["b"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.unified.put("left first", channels: ["b"])
        try await fixture.user("anna", channels: ["b"])
        try await fixture.unified.put("lost first", channels: nil)
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.put("left first", channels: nil)
        let told = ["left first deleted revoked b", "lost first deleted revoked b"]
        #expect(try await anna.rows(since: place, limit: limit).sorted() == told)
        for (id, row) in zip(["left first", "lost first"], told) {
            #expect(try await anna.rows(since: place, limit: limit) { $0.documentIDs = [ExactString(id)] } == [row])
        }
    }

    @Test("A revision that a departure names is read as removed, whatever channels the reader has lost")
    func answered() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["b", "c"])
        try await fixture.unified.put("1", channels: ["b", "c"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.user("anna", channels: ["c"])
        try await fixture.unified.put("1", channels: ["b"])
        try await fixture.unified.put("1", channels: ["z"])
        var query = ChangesQuery()
        query.since = place
        let rows = try await anna.changes(query).rows
        #expect(rows.count == 1)
        for row in rows {
            let content = try await anna.read { try $0.document("1")?.content(of: try revision(row.revision)) }
            #expect(content?.body.properties == Array(#"{"_removed":true}"#.utf8), "\(row)")
        }
    }

    @Test("A departure is sent also to a reader who was granted a channel that the document had already left")
    func leftBeforeGrant() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["c"])
        try await fixture.unified.put("1", channels: ["a", "c"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.unified.put("1", channels: ["b"])
        try await fixture.unified.put("1", channels: ["a"])
        try await fixture.user("anna", channels: ["b", "c"])
        #expect(try await anna.rows(since: place) == ["1 removed c"])
    }
    @Test("A deletion is sent although the document entered and left another channel later")
    func deletedBeforeDeparture() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        try await fixture.unified.put("1", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let place = try await anna.read().position
        try await fixture.unified.put("1", channels: nil)
        try await fixture.unified.put("1", channels: ["b"])
        #expect(try await anna.rows(since: place) == ["1"], "it is back")
        try await fixture.unified.put("1", channels: ["x"])
        var query = ChangesQuery()
        query.since = place
        let rows = try await anna.changes(query).rows
        #expect(rows.map(\.departure) == [.removed(["a"]), .removed(["b"])] && rows.map(\.isDeleted) == [true, false])
        let hidden = try await fixture.unified.put("1", channels: nil)
        var bodies: [String?] = []
        for revision in rows.map(\.revision) + [hidden.text] { bodies.append(try await anna.body("1", revision)) }
        #expect(bodies == ["{}", #"{"_removed":true}"#, nil])
    }
    @Test("A deletion is sent also where a hidden branch has become the winner, whatever channels the reader has lost")
    func deletedBranch() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "*"])
        let anna = fixture.unified.seen(by: "anna")
        _ = try await anna.read()
        try await fixture.unified.put("1", channels: ["a"])
        try await fixture.user("anna", channels: ["a"])
        let place = try await anna.read().position
        let deletion = try await fixture.unified.put("1", channels: nil)
        try await fixture.unified.push("1", "1-ff", body: #"{"channels":["x"]}"#)
        var query = ChangesQuery()
        query.since = place
        let rows = try await anna.changes(query).rows
        #expect(rows.map(\.revision) == [deletion.text] && rows.allSatisfy(\.isDeleted))
        #expect(try await anna.body("1", deletion.text) == "{}")
        #expect(try await anna.body("1", "1-ff") != #"{"channels":["x"]}"#)
    }
    @Test("A client that asks for a channel gets its removals, also if it saw the documents by * and is granted the channel later")
    func grantedBesideEverything() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["*"])
        let anna = fixture.unified.seen(by: "anna")
        _ = try await anna.read()
        for id in ["1", "2"] { try await fixture.unified.put(id, channels: ["b"]) }
        let place = try await anna.read { $0.channels = ["b"] }.position
        try await fixture.unified.put("1", channels: ["a"])
        try await fixture.user("anna", channels: ["b", "*"])
        #expect(try await anna.rows(since: place) { $0.channels = ["b"] } == ["1 removed b"], "and nothing that it has")
    }
}
