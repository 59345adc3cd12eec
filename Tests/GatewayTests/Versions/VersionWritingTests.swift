import Documents
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Documents with versions")
struct VersionWritingTests {
    private static let client = "04e034d9-229a-4980-b477-fbce116c3413"

    @Test("A document gets a version when it is sent to a 4.x client, and keeps it")
    func lazily() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        #expect(try await stored("a", fixture) == nil)
        let version = try #require(try await shown(fixture)["a"])
        #expect(try version.current.source == (await source(fixture)) && version.previous.isEmpty)
        #expect(try await shown(fixture)["a"] == version)
        #expect(try await stored("a", fixture)?.vector == version)
        // Other writes get no version until they are sent, and then follow it.
        try await fixture.unified.push("a", "2-bb", "1-aa")
        try await fixture.unified.push("a", "3-cc", "2-bb")
        #expect(try await stored("a", fixture)?.revision.text == "1-aa")
        let next = try #require(try await shown(fixture)["a"])
        #expect(next.order(to: version) == .newer)
        try await fixture.expectSound()
    }

    @Test("Revisions of 4.x clients become children in the tree, deterministically")
    func pushed() async throws {
        let fixtures = [try await Fixture(), try await Fixture()]
        for fixture in fixtures {
            try await push("a", "1a", fixture)
            try await push("a", "2b;1a", fixture)
            #expect(try await shown(fixture)["a"] == Spelling.vector("2b;1a"))
            // The same again, and older revisions.
            #expect(try await push("a", "2b;1a", fixture).isNew == false)
            #expect(try await push("a", "1a", fixture).isNew == false)
            #expect(try await code { try await push("a", "3c;1a", fixture) } == .conflict)
            #expect(try await fixture.unified.record("a").tree.count == 2)
        }
        #expect(try await fixtures[0].unified.feed() == fixtures[1].unified.feed())
    }

    @Test("A revision of 1.x follows a pushed version, and is not overwritten by a version without it")
    func mixed() async throws {
        let fixture = try await Fixture()
        try await push("a", "1a", fixture)
        let first = try await fixture.unified.record("a").winner.text
        try await fixture.unified.push("a", "2-bb", first)
        // The client has not seen it.
        #expect(try await code { try await push("a", "2a", fixture) } == .conflict)
        let version = try #require(try await shown(fixture)["a"])
        #expect(try version.contains(Spelling.vector("1a")))
        #expect(try await code { try await push("a", "2a", fixture) } == .conflict)
        let answer = try await answer("a", "2a", parent: "1a", fixture)
        #expect(answer == .conflict(current: .version(version.current)))
        // The client has seen it.
        let merged = try VersionVector("\(Spelling.long("9a")),\(Spelling.long("2a")),\(version.current);")
        #expect(try await push("a", VersionHistory(vector: merged), fixture).isNew)
        #expect(try await shown(fixture)["a"] == merged)
        #expect(try await fixture.unified.record("a").winner.generation == 3)
    }

    @Test("A version that a client keeps although it has received a newer one wins, under a version that is newer for all")
    func kept() async throws {
        let fixture = try await Fixture()
        try await push("a", "1a", fixture)
        try await fixture.unified.push("a", "2-bb", try await fixture.unified.record("a").winner.text)
        let newer = try #require(try await shown(fixture)["a"])
        let kept = VersionVector(current: try Spelling.vector("1a").current, previous: [newer.current])
        let proposal = VersionProposal(id: "a", revision: .version(kept), parent: .version(newer))
        #expect(try await fixture.unified.answer([proposal], copy: nil, hasTree: false) == [.wanted])

        #expect(try await push("a", VersionHistory(vector: kept), fixture).isNew)
        let now = try #require(try await shown(fixture)["a"])
        #expect(now.order(to: newer) == .newer && now.contains(kept.current))
        #expect(try await fixture.unified.record("a").winner.generation == 3)
        // The reply was lost.
        #expect(try await push("a", VersionHistory(vector: kept), fixture).isNew == false)
        #expect(try await shown(fixture)["a"] == now)
        try await fixture.expectSound()
    }

    @Test("A new winner includes the versions that were sent before, and so does the old winner when it wins again")
    func branches() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        try await push("a", VersionHistory(vector: Spelling.vector("5a"), legacy: [revision("1-aa")]), fixture)
        let first = try #require(try await shown(fixture)["a"])
        try await fixture.unified.push("a", "3-ff", "2-ee", "1-aa")
        let second = try #require(try await shown(fixture)["a"])
        #expect(second.order(to: first) == .newer)
        try await fixture.unified.push("a", "4-dd", "3-ff", "2-ee", "1-aa", deleted: true)
        let third = try #require(try await shown(fixture)["a"])
        #expect(third.order(to: second) == .newer)
        #expect(try await stored("a", fixture)?.revision.generation == 2)
    }

    @Test("A client that saw a branch before another one won has not seen that it wins again: its edit of the other is a conflict")
    func wonAgain() async throws {
        let fixture = try await Fixture { $0.deltaSync = true }
        try await fixture.unified.push("a", "1-aa")
        let first = try #require(try await shown(fixture)["a"])
        try await fixture.unified.push("a", "1-bb")
        let second = try #require(try await shown(fixture)["a"])
        #expect(second.order(to: first) == .newer)
        try await fixture.unified.push("a", "2-cc", "1-bb", deleted: true)
        let third = try #require(try await shown(fixture)["a"])
        #expect(try await stored("a", fixture)?.revision.text == "1-aa")
        let edit = try VersionVector("\(Spelling.long("9b"));\(second.current)")
        #expect(try await code { try await push("a", VersionHistory(vector: edit), fixture) } == .conflict)
        // A client that has seen neither has not seen the winner.
        let child = try VersionVector("\(Spelling.long("9a"));\(first.current)")
        #expect(try await push("a", VersionHistory(vector: child), fixture).isNew)
        #expect(try await shown(fixture)["a"]?.order(to: third) == .newer)
    }

    @Test("The tree IDs of an upgraded client are stored from its pushes and its replies")
    func legacy() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        try await fixture.unified.push("b", "1-aa")
        try await push("a", Spelling.history("5a 1-aa"), fixture)
        try await fixture.unified.recordLegacyRevisions([("b", [.tree(revision("1-aa"))])], copy: copy(fixture))
        #expect(try await remembered("a", fixture) == "1-aa")
        #expect(try await remembered("b", fixture) == "1-aa")
        // The client's own ID comes first, also where it is not here.
        try await fixture.unified.recordLegacyRevisions(
            [("b", [.tree(revision("2-cc")), .tree(revision("1-aa"))]), ("none", [.tree(revision("1-aa"))])], copy: copy(fixture))
        #expect(try await remembered("b", fixture) == "2-cc")
        // Beside a version an ID may be older than the stored one, and is better than none.
        let beside: [RevisionName] = try [.version(Spelling.vector("7c").current), .tree(revision("1-aa"))]
        try await fixture.unified.push("c", "1-aa")
        try await fixture.unified.recordLegacyRevisions([("b", beside), ("c", beside)], copy: copy(fixture))
        #expect(try await remembered("b", fixture) == "2-cc")
        #expect(try await remembered("c", fixture) == "1-aa")
        // A proposal without a parent may still be a child, which its vector shows. Another client's may not.
        #expect(try await answer("a", "9c", parent: nil, copy: copy(fixture), fixture) == .wanted)
        #expect(try await answer("a", "9c", parent: nil, fixture) != .wanted)
    }

    @Test("The tree ID of a user's database is stored also with a revision that is already here")
    func legacyOfKnown() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["*"])
        try await fixture.unified.push("a", "1-aa")
        let history = try Spelling.history("5a 1-aa")
        func write(from copy: ClientDatabase?) -> RevisionWrite {
            RevisionWrite(
                id: "a", kind: .versioned(VersionedWrite(history: history, copy: copy)), isDeleted: false, body: Array("{}".utf8))
        }
        #expect(try await fixture.unified.write(write(from: nil)).isNew)
        #expect(try await remembered("a", fixture) == nil)
        #expect(try await fixture.unified.seen(by: "anna").write(write(from: copy(fixture))).isNew == false)
        #expect(try await remembered("a", fixture) == "1-aa")
    }

    @Test("A new document keeps the revision from before the upgrade as its parent")
    func newDocument() async throws {
        let fixture = try await Fixture()
        try await push("a", Spelling.history("5a 2-bb 1-aa"), fixture)
        let record = try await fixture.unified.record("a")
        #expect(record.winner.generation == 3 && record.tree.parent(of: record.winner)?.text == "2-bb")
    }

    @Test("Known tree revisions are reported as known only to a database with revision trees")
    func knownRevisions() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        let proposals = [
            VersionProposal(id: "a", revision: .tree(try revision("1-aa")), parent: nil),
            VersionProposal(id: "a", revision: .tree(try revision("2-bb")), parent: .tree(try revision("1-aa"))),
            VersionProposal(id: "b", revision: .tree(try revision("1-aa")), parent: nil),
        ]
        let other = VersionProposal(id: "a", revision: .tree(try revision("1-cc")), parent: nil)
        #expect(
            try await fixture.unified.answer(proposals + [other], copy: nil, hasTree: true)
                == [.known, .wanted, .wanted, .conflict(current: .tree(revision("1-aa")))])
        let version = try #require(try await shown(fixture)["a"]).current
        #expect(
            try await fixture.unified.answer(proposals, copy: nil, hasTree: false)
                == [.conflict(current: .version(version)), .wanted, .wanted])
    }

    @Test("A database that was upgraded before it came gets the tree ID that its edits may follow, and any other the version")
    func editsBeforeNewURL() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        func answer(tree: String, isFirst: Bool = true) async throws -> VersionAnswer? {
            let proposal = VersionProposal(id: "a", revision: .tree(try revision(tree)), parent: nil)
            return try await fixture.unified.answer([proposal], copy: nil, hasTree: false, isFirst: isFirst).first
        }
        for _ in 0..<2 {
            // Before and after it is sent as a version.
            #expect(try await self.answer("a", "9c", parent: nil, isFirst: true, fixture) == .wanted)
            #expect(try await self.answer("a", "9c", parent: "1-aa", fixture) == .wanted)
            // An edit that was never pushed before the upgrade names its ancestors in its history.
            #expect(try await answer(tree: "2-bb") == .wanted)
            #expect(try await answer(tree: "1-cc") == .conflict(current: .tree(revision("1-aa"))))
            _ = try await shown(fixture)
        }
        // A client that has a version, or may have one because it was here, gets the version.
        let version = try #require(try await shown(fixture)["a"]).current
        #expect(try await self.answer("a", "9c", parent: nil, fixture) == .conflict(current: .version(version)))
        #expect(try await self.answer("a", "9c", parent: "1b", fixture) == .conflict(current: .version(version)))
        // The edit is a child of the named revision, and after that there is a version that other clients have to have.
        try await push("a", Spelling.history("9c 1-aa"), fixture)
        let pushed = VersionAnswer.conflict(current: .version(try #require(try await shown(fixture)["a"]).current))
        #expect(try await self.answer("a", "9b", parent: nil, fixture) == pushed)
        // Another client that comes for the first time may know that revision by its tree ID, too.
        #expect(try await self.answer("a", "9b", parent: nil, isFirst: true, fixture) == .wanted)
        #expect(try await answer(tree: "3-cc") == .wanted)
        // So it is after its pull, which omits the parents of an edit: the client may propose the edit in a later message.
        #expect(try await answer(tree: "3-cc", isFirst: false) == .wanted)
        #expect(try await answer(tree: "1-cc", isFirst: false) == pushed)
    }

    @Test(
        "An edit from after the upgrade that conflicts with another edit is requested, because only it has the tree ID of the database"
    )
    func conflictOfUpgraded() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        try await fixture.unified.push("a", "2-bb", "1-aa")
        let version = try #require(try await shown(fixture)["a"]).current
        for parent in ["1-aa", nil] {
            #expect(try await answer("a", "9c", parent: parent, copy: copy(fixture), fixture) == .wanted)
        }
        // A version on top of a version has already sent that ID.
        #expect(try await answer("a", "9c", parent: "1b", copy: copy(fixture), fixture) == .conflict(current: .version(version)))
        await #expect(throws: GatewayError.self) { try await push("a", Spelling.history("9c 2-dd 1-aa"), fixture) }
    }

    @Test("A client without a checkpoint that has a version of this database has been here: it gets the version, and sends no body")
    func ownVersion() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        let version = Version(time: 1 << 16, source: try await source(fixture))
        let proposal = VersionProposal(id: "a", revision: .version(VersionVector(current: version)), parent: nil)
        let answer = try await fixture.unified.answer([proposal], copy: nil, hasTree: false, isFirst: true).first
        #expect(answer == .conflict(current: .version(try #require(try await shown(fixture)["a"]).current)))
    }

    @Test("A tombstone has a version, and the document can be created again")
    func tombstones() async throws {
        let fixture = try await Fixture()
        try await push("a", "1a", fixture)
        try await push("a", "2a", fixture, isDeleted: true)
        #expect(try await shown(fixture)["a"] == Spelling.vector("2a"))
        #expect(try await answer("a", "1b", parent: nil, fixture) == .wanted)
        // The client may be pulling the tombstone at the same time: both sides would include the other's version.
        #expect(try await code { try await push("a", "1b", fixture) } == .conflict)
        try await push("a", "1b;2a", fixture)
        #expect(try await shown(fixture)["a"] == Spelling.vector("1b;2a"))
    }

    @Test("A tombstone on a tombstone that its author has not seen gets a version after both, and so may the author's next revision")
    func twoTombstones() async throws {
        let fixture = try await Fixture()
        try await push("a", "2a", fixture, isDeleted: true)
        try await push("a", "9b", fixture, isDeleted: true)
        let vector = try #require(try await shown(fixture)["a"])
        #expect(try await vector.current.source == source(fixture))
        #expect(try vector.contains(Spelling.vector("9b;2a")))
        try await push("a", "10b", fixture)
        let next = try #require(try await shown(fixture)["a"])
        #expect(try next.contains(vector) && next.contains(Spelling.vector("10b;2a")) && next != vector)
    }

    @Test("A revision of an upgraded client gets a version after the one that others received")
    func upgradedBesideOthers() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        let before = try #require(try await shown(fixture)["a"])
        try await push("a", Spelling.history("9c 1-aa"), fixture)
        let after = try #require(try await shown(fixture)["a"])
        #expect(try after.contains(before) && after.contains(Spelling.vector("9c")) && after.current != Spelling.vector("9c").current)
        #expect(try await answer("a", "10c", parent: "9c", copy: copy(fixture), fixture) == .wanted)
    }

    @Test("Versions of this database in the future are refused")
    func forged() async throws {
        let fixture = try await Fixture()
        let source = try await source(fixture)
        let vector = VersionVector(current: try Spelling.vector("1a").current, previous: [Version(time: .max, source: source)])
        #expect(try await code { try await push("a", VersionHistory(vector: vector), fixture) } == .badRequest)
        #expect(try await fixture.unified.feed().isEmpty)
    }

    @Test("A row whose document has changed since is left to its next row")
    func staleRows() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-aa")
        let rows = try await fixture.unified.changes(ChangesQuery()).rows
        try await fixture.unified.push("a", "2-bb", "1-aa")
        #expect(try await fixture.unified.versions(of: rows) == [nil])
        #expect(try await shown(fixture)["a"] != nil)
    }

    // MARK: Helpers

    private func copy(_ fixture: Fixture) -> ClientDatabase { ClientDatabase(client: Self.client, keyspace: fixture.unified) }

    @discardableResult
    private func push(_ id: String, _ vector: String, _ fixture: Fixture, isDeleted: Bool = false) async throws -> WriteOutcome {
        try await push(id, VersionHistory(vector: Spelling.vector(vector)), fixture, isDeleted: isDeleted)
    }

    @discardableResult
    private func push(_ id: String, _ history: VersionHistory, _ fixture: Fixture, isDeleted: Bool = false) async throws -> WriteOutcome {
        let made = VersionedWrite(history: history, copy: copy(fixture))
        return try await fixture.unified.write(
            RevisionWrite(id: id, kind: .versioned(made), isDeleted: isDeleted, body: Array("{}".utf8)))
    }

    private func shown(_ fixture: Fixture) async throws -> [String: VersionVector] {
        let rows = try await fixture.unified.changes(ChangesQuery()).rows
        let versions = try await fixture.unified.versions(of: rows)
        return Dictionary(zip(rows, versions).compactMap { row, version in version.map { (row.id, $0) } }) { $1 }
    }

    private func answer(
        _ id: String, _ vector: String, parent: String?, copy: ClientDatabase? = nil, isFirst: Bool = false, _ fixture: Fixture
    ) async throws -> VersionAnswer? {
        let parent = try parent.flatMap { try Spelling.proposed($0) }
        let proposal = VersionProposal(id: id, revision: .version(try Spelling.vector(vector)), parent: parent)
        return try await fixture.unified.answer([proposal], copy: copy, hasTree: false, isFirst: isFirst).first
    }

    private func stored(_ id: String, _ fixture: Fixture) async throws -> VersionRecord? {
        try await fixture.store.read { snapshot in try snapshot.document(unifiedID: id)?.key.flatMap { try snapshot.version(of: $0) } }
    }

    private func remembered(_ id: String, _ fixture: Fixture) async throws -> String? {
        try await fixture.store.read { snapshot in
            try snapshot.document(unifiedID: id)?.key.flatMap { try snapshot.legacyRevision(of: $0, client: Self.client)?.text }
        }
    }

    private func source(_ fixture: Fixture) async throws -> SourceID {
        let uuid = try await fixture.store.read { try $0.uuid }
        return try #require(SourceID(uuid))
    }
}
