import Documents
import Gateway
import Storage
import Testing

/// Documents that were deleted or left a channel while their reader had a channel that is lost by now. Without a row they would stay on the
/// device for good.
@Suite("Changes before the loss of a channel")
struct HeldTests {
    private static let giving = "function (doc) { channel(doc.channels); if (doc.to) access(doc.to, 'a'); }"
    private static let keeping =
        "function (doc, old) { channel(doc._deleted ? old.channels : doc.channels); if (doc.to) access(doc.to, 'a'); }"

    private func fixture(_ function: String? = nil) async throws -> Fixture {
        try await Fixture { configuration in
            guard let function else { return }
            configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: function))
        }
    }

    private func rows(of reader: Keyspace, since: FeedPosition, limit: Int = 100, active: Bool = false) async throws -> [String] {
        try await reader.rows(since: since, limit: limit) { query in
            query.includesRevocations = false
            query.activeOnly = active
        }
    }

    @Test(
        "A deletion that takes the channel away is sent, whether or not the tombstone stays in the channel", arguments: [giving, keeping])
    func ownGrant(function: String) async throws {
        let fixture = try await fixture(function)
        try await fixture.user("anna")
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["a"], with: #""to":"anna""#)
        try await fixture.unified.put("2", channels: ["a"])
        let place = try await anna.read().position
        let revision = try await fixture.unified.put("1", channels: nil)
        #expect(try await rows(of: anna, since: place) == ["1 deleted removed a"])
        #expect(try await rows(of: anna, since: place, active: true) == [])
        #expect(try await anna.body("1", revision.text) == #"{"_removed":true}"#)
        #expect(
            try await anna.rows(since: place) {
                $0.includesRevocations = false; $0.documentIDs = [ExactString("1"), ExactString("2")]
            } == ["1 deleted removed a"])
    }

    @Test("A deletion before the loss of a channel is sent, and other losses are not", arguments: [["a"], ["*"]], [1, 100])
    func lostLater(channels: Set<String>, limit: Int) async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: channels)
        let anna = fixture.unified.seen(by: "anna")
        for id in ["before", "while", "after", "left", "kept"] { try await fixture.unified.put(id, channels: ["a"]) }
        try await fixture.unified.put("before", channels: nil)
        let place = try await anna.read().position
        try await fixture.unified.put("while", channels: nil)
        try await fixture.unified.put("left", channels: ["x"])
        try await fixture.user("anna")
        try await fixture.unified.put("after", channels: nil)
        let told = channels.map { "while deleted removed \($0)" }
        #expect(try await rows(of: anna, since: place, limit: limit) == told)
        // A reader who has the channel again gets it as well.
        try await fixture.user("anna", channels: ["a"])
        #expect(try await rows(of: anna, since: place, limit: limit) == told + ["left removed a", "kept again"])
        let last = try await anna.read().position
        #expect(try await rows(of: anna, since: last, limit: limit) == [])
    }

    @Test("A document that came back is sent in its current state if the reader sees it")
    func cameBack() async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        let anna = fixture.unified.seen(by: "anna")
        for id in ["1", "2"] { try await fixture.unified.put(id, channels: ["a"]) }
        let place = try await anna.read().position
        for id in ["1", "2"] { try await fixture.unified.put(id, channels: nil) }
        try await fixture.user("anna", channels: ["b"])
        try await fixture.unified.put("1", channels: ["b"])
        try await fixture.unified.put("2", channels: ["x"])
        #expect(try await rows(of: anna, since: place) == ["2 deleted removed a", "1"])
    }

    @Test("A reader who never had the channel, or asks for others, gets nothing")
    func others() async throws {
        let fixture = try await fixture(Self.giving)
        try await fixture.user("anna", channels: ["c"])
        try await fixture.user("bert")
        let (anna, bert) = (fixture.unified.seen(by: "anna"), fixture.unified.seen(by: "bert"))
        let place = try await anna.read().position
        try await fixture.unified.put("1", channels: ["a"], with: #""to":"anna""#)
        try await fixture.unified.put("1", channels: nil)
        #expect(try await rows(of: bert, since: place) == [])
        let asked = { (query: inout ChangesQuery) in
            query.includesRevocations = false
            query.channels = ["c"]
        }
        #expect(try await anna.rows(since: place, asked) == [])
        #expect(try await rows(of: anna, since: place) == ["1 deleted removed a"])
    }

    @Test(
        "A client that asks for channels gets removals from a channel that was lost and granted again",
        arguments: [(["a", "x"], ["x"], ["a", "x"]), (["a", "x"], [], ["*"]), (["*"], [], ["*"]), (["*"], ["x"], ["a", "x"])],
        [true, false])
    func heldAgain(channels: ([String], [String], [String]), losses: Bool) async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: Set(channels.0))
        let anna = fixture.unified.seen(by: "anna")
        for id in ["1", "stays"] { try await fixture.unified.put(id, channels: ["a"]) }
        let asked = { (query: inout ChangesQuery) in
            query.includesRevocations = losses
            query.channels = ["a"]
        }
        let place = try await anna.read(asked).position
        try await fixture.unified.put("1", channels: ["x"])
        try await fixture.user("anna", channels: Set(channels.1))
        try await fixture.unified.put("later", channels: ["a"])
        try await fixture.unified.put("later", channels: ["x"])
        try await fixture.user("anna", channels: Set(channels.2))
        #expect(try await anna.rows(since: place, asked).sorted() == ["1 removed a", "stays again"])
        #expect(
            try await anna.rows(since: place) {
                $0.activeOnly = true; $0.channels = ["a"]
            } == ["stays again"])
        #expect(
            try await anna.rows(since: place) {
                asked(&$0); $0.documentIDs = [ExactString("1")]
            } == ["1 removed a"])
    }

    @Test(
        "A document that left a requested channel and was deleted later is sent as deleted to readers of everything",
        arguments: [true, false])
    func deletedSince(isNew: Bool) async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: ["*"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["a"])
        let place = isNew ? .zero : try await anna.read { $0.channels = ["a"] }.position
        try await fixture.unified.put("1", channels: ["b"])
        let deletion = try await fixture.unified.put("1", channels: nil)
        var query = ChangesQuery()
        query.since = place
        query.channels = ["a"]
        let rows = try await anna.changes(query).rows
        #expect(rows.map(\.revision) == [deletion.text] && rows.map(\.isDeleted) == [true])
    }

    @Test(
        "A revision that a revocation has named is read as removed, after any number of later revisions, and only by that reader",
        arguments: ["b", "*"])
    func followed(channel: String) async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: [channel])
        try await fixture.user("bert")
        let anna = fixture.unified.seen(by: "anna")
        let first = try await fixture.unified.put("1", channels: ["b"])
        let place = try await anna.read().position
        try await fixture.user("anna")
        #expect(try await anna.rows(since: place) == ["1 revoked \(channel)"])
        for _ in 0..<50 { try await fixture.unified.put("1", channels: ["x"]) }
        let later = try await fixture.unified.put("2", channels: ["b"])
        try await fixture.unified.put("2", channels: ["x"])
        try await anna.read { snapshot in
            let told = try snapshot.document("1")?.announced(first)
            #expect(told?.body.properties == Array(#"{"_removed":true}"#.utf8))
            let never = try snapshot.document("2")?.announced(later)
            #expect(never == nil)
        }
        try await fixture.unified.seen(by: "bert").read { snapshot in
            let told = try snapshot.document("1")?.announced(first)
            #expect(told == nil)
        }
    }
}
