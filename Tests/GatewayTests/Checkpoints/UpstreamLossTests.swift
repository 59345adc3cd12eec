import Access
import Documents
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Documents that were deleted or left channels on the old server before they came here")
struct UpstreamLossTests {
    private let fixture: Fixture
    private let anna: Keyspace

    init() async throws {
        fixture = try await Fixture(hasReaders: false)
        try await fixture.user("anna", channels: ["a", "b"])
        try await fixture.user("zoe", channels: ["z"])
        anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
    }

    /// Pulls a document from the old server in its present state.
    private func pull(_ id: String, _ channels: [String] = [], deleted: Bool = false, at number: Int64) async throws {
        let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
        let written = try await fixture.unified.push(id, "2-bb", "1-aa", body: "{\"channels\":[\(list)]}", deleted: deleted)
        let places = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence(String(number))], in: "u")
        try await fixture.unified.noteUpstream(places.map { UpstreamRow(id: id, leaves: [written.revision], place: $0) })
    }

    private func learn(_ losses: UpstreamVisibility.Loss..., at place: String = "1", by keyspace: Keyspace) async throws {
        try await keyspace.learn(UpstreamVisibility(channels: ["a", "b", "z"], losses: losses), at: UpstreamSequence(place))
    }

    private func untold(
        _ losses: [UpstreamVisibility.Loss], to keyspace: Keyspace, behind place: UpstreamSequence, seen: Set<String> = ["a", "b"]
    ) async throws -> [UpstreamVisibility.Loss] {
        try await keyspace.untold(UpstreamVisibility(channels: seen, losses: losses), behind: place)
    }

    private func rows(_ keyspace: Keyspace, from place: String) async throws -> [String] {
        try await keyspace.rows(since: try await keyspace.position(ofUpstream: UpstreamSequence(place)))
    }

    @Test("A device that was behind gets the loss at the document's position; caught-up devices and users of other channels do not")
    func told() async throws {
        try await pull("first", ["a"], at: 1)
        try await pull("gone", deleted: true, at: 3)
        try await pull("moved", ["z"], at: 4)
        try await pull("last", ["a"], at: 5)
        try await learn(by: anna)
        #expect(try await rows(anna, from: "1") == ["last"])
        try await learn(.init(id: "gone", channels: ["a"]), .init(id: "moved", channels: ["a", "b"]), by: anna)
        #expect(try await rows(anna, from: "1") == ["gone deleted removed a", "moved removed a,b", "last"])
        try await learn(at: "3", by: anna)
        #expect(try await rows(anna, from: "3") == ["moved removed a,b", "last"])
        try await learn(at: "4", by: anna)
        #expect(try await rows(anna, from: "4") == ["last"])
        let zoe = fixture.unified.seen(by: "zoe")
        try await learn(by: zoe)
        #expect(try await rows(zoe, from: "1") == ["moved"])
        try await fixture.expectSound()
    }

    @Test("Losses to ask about are those of documents that the user neither sees here nor has seen")
    func untold() async throws {
        try await pull("seen", ["a"], at: 1)
        try await pull("left", ["a"], at: 2)
        try await pull("moved", ["z"], at: 3)
        try await pull("gone", deleted: true, at: 4)
        try await fixture.unified.push("left", "3-cc", "2-bb", body: #"{"channels":["z"]}"#)
        let losses = ["seen", "left", "moved", "gone", "absent", "_user/x", ""].map { UpstreamVisibility.Loss(id: $0) }
        #expect(try await untold(losses, to: anna, behind: UpstreamSequence("0:1")).map(\.id) == ["moved", "gone", "absent"])
        try await learn(.init(id: "gone", channels: ["b"]), .init(id: "moved", channels: ["a"]), by: anna)
        #expect(try await untold(losses, to: anna, behind: UpstreamSequence("0:1")).map(\.id) == ["absent"])
        #expect(try await untold(losses, to: fixture.unified, behind: UpstreamSequence("0:1")).map(\.id) == ["absent"])
    }

    @Test("A removal from a channel before the user had it is not sent, unless the document has left another channel")
    func laterChannel() async throws {
        try await pull("gone", deleted: true, at: 3)
        try await learn(.init(id: "gone", channels: ["b"]), by: anna)
        let losses = [UpstreamVisibility.Loss(id: "gone", channels: ["a"])]
        #expect(try await untold(losses, to: anna, behind: UpstreamSequence("1")) == [])
        #expect(try await untold(losses, to: anna, behind: UpstreamSequence("1"), seen: ["a"]) == losses)
    }

    @Test("A document that is in the channel again, or returns to it, is sent as a document")
    func back() async throws {
        try await pull("back", ["a"], at: 1)
        try await pull("gone", deleted: true, at: 2)
        try await learn(.init(id: "back", channels: ["a"]), .init(id: "gone", channels: ["a"]), at: "0:1", by: anna)
        #expect(try await rows(anna, from: "0") == ["back", "gone deleted removed a"])
        try await learn(at: "1", by: anna)
        try await fixture.unified.push("gone", "3-cc", "2-bb", body: #"{"channels":["a"]}"#)
        #expect(try await rows(anna, from: "1") == ["gone"])
        try await fixture.expectSound()
    }

    @Test("A loss of a document that is not here yet is stored, and is sent behind everything that devices have read meanwhile")
    func early() async throws {
        try await pull("first", ["a"], at: 1)
        try await learn(.init(id: "gone", channels: ["a"]), .init(id: "never", channels: ["a"]), by: anna)
        let written = try await fixture.unified.push("gone", "2-bb", "1-aa", deleted: true)
        // The device reads on between the document's arrival and the record of its row.
        let position = try await anna.read(since: try await anna.position(ofUpstream: UpstreamSequence("1"))).position
        let places = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence("3")], in: "u")
        try await fixture.unified.noteUpstream(places.map { UpstreamRow(id: "gone", leaves: [written.revision], place: $0) })
        #expect(try await anna.rows(since: position) == ["gone deleted removed a"])
        #expect(try await rows(anna, from: "1") == ["gone deleted removed a"])
        let kept = try await fixture.store.write { transaction in
            try ["gone", "never"].map { try transaction.removeUpstreamLosses(of: $0).map(\.channel) }
        }
        #expect(kept == [[], ["a"]])
        #expect(try await fixture.store.read { try $0.hasUpstreamLosses } == false)
        try await fixture.expectSound()
    }

    @Test("A document that came and left between two pulls is sent as lost to a device that has it")
    func unpulled() async throws {
        try await pull("inside", ["z"], at: 1)
        try await pull("again", ["a"], at: 2)
        try await fixture.unified.push("again", "3-cc", "2-bb", body: #"{"channels":["z"]}"#)
        let again = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence("3")], in: "u")
        try await fixture.unified.noteUpstream(again.map { UpstreamRow(id: "again", leaves: [try revision("3-cc")], place: $0) })
        // The device saw both in channel a at position 5, which was not pulled; the old server's removals are at 6 and 7.
        let losses = [UpstreamVisibility.Loss(id: "inside", channels: ["a"]), UpstreamVisibility.Loss(id: "again", channels: ["a"])]
        #expect(try await untold(losses, to: anna, behind: UpstreamSequence("5")) == losses)
        try await anna.learn(UpstreamVisibility(channels: ["a", "b"], losses: losses), at: UpstreamSequence("5"))
        #expect(try await rows(anna, from: "5") == ["inside removed a", "again removed a"])
        let position = try await anna.read(since: try await anna.position(ofUpstream: UpstreamSequence("5"))).position
        #expect(try await anna.rows(since: position).isEmpty)
        try await fixture.expectSound()
    }

    @Test(
        "A document that left a channel and was changed later is sent as lost to devices from before the removal, and not to later ones"
    )
    func changedAgain() async throws {
        try await pull("first", ["a"], at: 1)
        try await pull("next", ["a"], at: 5)
        try await pull("moved", ["z"], at: 6)
        try await pull("gone", deleted: true, at: 8)
        try await pull("last", ["a"], at: 9)
        // It left b at 2 and a at 4; the other left a at 3, and was deleted later.
        let losses = [
            UpstreamVisibility.Loss(id: "moved", channels: ["b"], number: 2),
            UpstreamVisibility.Loss(id: "moved", channels: ["a"], number: 4),
            UpstreamVisibility.Loss(id: "gone", channels: ["a"], number: 3),
        ]
        try await anna.learn(UpstreamVisibility(channels: ["a", "b"], losses: losses), at: UpstreamSequence("1"))
        for (place, expected) in [
            ("1", ["next", "moved removed a,b", "gone deleted removed a", "last"]),
            ("2", ["next", "moved removed a", "gone deleted removed a", "last"]), ("3", ["next", "moved removed a", "last"]),
            ("4", ["next", "last"]), ("6", ["last"]),
        ] {
            try await learn(at: place, by: anna)
            #expect(try await rows(anna, from: place) == expected, "\(place)")
            let start = try await anna.position(ofUpstream: UpstreamSequence(place))
            #expect(try await anna.rows(since: start, limit: 1) == expected, "\(place), row by row")
        }
        // Devices that are already here, and those that come when the numbers have another meaning, get it in any case.
        #expect(try await anna.rows(since: .zero) == ["first", "next", "moved removed a,b", "gone deleted removed a", "last"])
        try await fixture.unified.beginUpstreamFeed(of: "u", since: UpstreamSequence("1"))
        #expect(try await rows(anna, from: "4").contains("moved removed a,b"))
        try await fixture.expectSound()
    }

    @Test("Between two batches a device keeps its number of the old server, and gets a plain position at the end; a later removal is sent")
    func batches() async throws {
        try await pull("first", ["a"], at: 1)
        try await pull("second", ["a"], at: 6)
        try await pull("moved", ["z"], at: 7)
        try await learn(.init(id: "moved", channels: ["a"], number: 3), by: anna)
        try await learn(at: "5", by: anna)
        let start = try await anna.position(ofUpstream: UpstreamSequence("5"))
        #expect(start.reached == 5 && FeedPosition(start.description) == start)
        var query = ChangesQuery()
        (query.since, query.limit) = (start, 1)
        let batch = try await anna.changes(query)
        #expect(batch.position.reached == 5 && batch.rows.map(\.position) == [batch.position])
        query.since = batch.position
        query.limit = 100
        let end = try await anna.changes(query)
        #expect(end.rows.isEmpty && end.isCaughtUp && end.position.reached == nil)
        // The document comes back there, and leaves again.
        try await learn(.init(id: "moved", channels: ["a"], number: 8), at: "6", by: anna)
        #expect(try await rows(anna, from: "5") == ["second", "moved removed a"])
        try await fixture.expectSound()
    }

    private func silence(_ ids: String..., upTo end: Int64, at place: String) async throws {
        try await anna.silence(
            allBut: UpstreamVisibility.Told(ids: Set(ids.map { ExactString($0) }), end: end), at: UpstreamSequence(place))
    }

    @Test("A removal that the old server no longer sends is not sent here either, until the document leaves again")
    func silent() async throws {
        for (number, id) in [(1, "left"), (2, "other"), (3, "late")] { try await pull(id, ["a"], at: Int64(number)) }
        // Each left `a` at 4 to 6 and changed again at 7 to 9; the bridge saw only the last change.
        for (number, id) in [(7, "left"), (8, "other"), (9, "late")] {
            let written = try await fixture.unified.push(id, "4-dd", "3-cc", "2-bb", body: #"{"channels":["z"]}"#)
            let places = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence(String(number))], in: "u")
            try await fixture.unified.noteUpstream(places.map { UpstreamRow(id: id, leaves: [written.revision], place: $0) })
        }
        try await learn(at: "6", by: anna)
        #expect(try await rows(anna, from: "6") == ["left removed a", "other removed a", "late removed a"])
        // At 6, the old server sends only the other one to a device, and ends before 9.
        try await silence("other", upTo: 8, at: "6")
        #expect(try await rows(anna, from: "6") == ["other removed a", "late removed a"])
        let start = try await anna.position(ofUpstream: UpstreamSequence("6"))
        #expect(try await anna.rows(since: start, limit: 1) == ["other removed a", "late removed a"])
        #expect(try await anna.rows(since: .zero) == ["left removed a", "other removed a", "late removed a"], "other devices get it")
        try await fixture.unified.push("left", "5-ee", "4-dd", body: #"{"channels":["a"]}"#)
        #expect(try await rows(anna, from: "6") == ["other removed a", "late removed a", "left"])
        try await fixture.unified.push("left", "6-ff", "5-ee", body: #"{"channels":["z"]}"#)
        #expect(try await rows(anna, from: "6") == ["other removed a", "late removed a", "left removed a"])
        try await fixture.expectSound()
    }

    @Test("Documents of a channel that is granted here are sent, although the old server does not send them; its tombstones are not")
    func silentGrant() async throws {
        try await pull("first", ["a"], at: 1)
        try await pull("there", ["c"], at: 2)
        try await pull("gone", ["c"], at: 3)
        let written = try await fixture.unified.push("gone", "3-cc", "2-bb", body: #"{"channels":["c"]}"#, deleted: true)
        let places = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence("4")], in: "u")
        try await fixture.unified.noteUpstream(places.map { UpstreamRow(id: "gone", leaves: [written.revision], place: $0) })
        try await pull("last", ["a"], at: 5)
        try await fixture.user("anna", channels: ["a", "b", "c"])
        try await learn(at: "4", by: anna)
        try await silence("last", upTo: 5, at: "4")
        #expect(try await rows(anna, from: "4").sorted() == ["last", "there"])
        try await fixture.expectSound()
    }

    @Test("A device that was ahead of the pull, and starts before its losses, is not offered the documents that it has")
    func ahead() async throws {
        try await pull("first", ["a"], at: 1)
        try await pull("inside", ["z"], at: 2)
        // The device saw `inside` in its channel at 4; it left at 9. The loss is behind everything that was here.
        let losses = [UpstreamVisibility.Loss(id: "inside", channels: ["a"], number: 9)]
        try await anna.learn(UpstreamVisibility(channels: ["a"], losses: losses), at: UpstreamSequence("7"))
        try await pull("before", ["a"], at: 5)
        try await pull("gone", deleted: true, at: 6)
        try await pull("other", ["b"], at: 7)
        try await pull("behind", ["a"], at: 8)
        // It has not seen channel b.
        let told = try await rows(anna, from: "7")
        #expect(told.contains("inside removed a") && told.contains("behind") && told.contains { $0.hasPrefix("other") }, "\(told)")
        #expect(!told.contains { $0.hasPrefix("before") }, "\(told)")
        try await fixture.expectSound()
    }

    @Test("A document in a named collection has its row in the old server's feed")
    func moved() async throws {
        let fixture = try await Fixture(hasReaders: false) {
            try $0.add("s.c")
            try $0.route(.property(name: "type", equals: .string("order")), to: "s.c")
        }
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
        try await fixture.unified.push("o", "2-bb", "1-aa", body: #"{"type":"order","channels":["z"]}"#)
        try await anna.learn(
            UpstreamVisibility(channels: ["a"], losses: [UpstreamVisibility.Loss(id: "o", channels: ["a"])]), at: UpstreamSequence("1"))
        #expect(try await anna.rows() == ["o removed a"])
        try await fixture.expectSound()
    }
}
