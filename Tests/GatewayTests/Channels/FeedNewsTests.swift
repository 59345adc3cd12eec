import Documents
import SQLiteStorage
import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite("New rows for a reader with many channels")
struct FeedNewsTests {
    private static let names = (0..<300).map { "c\($0)" }

    private static func rows(_ keyspace: Keyspace, since: FeedPosition, limit: Int, asked: Set<String>?) async throws -> [String] {
        var query = ChangesQuery()
        (query.since, query.limit, query.allLeaves, query.includesRevocations, query.channels) = (since, limit, true, true, asked)
        var rows: [String] = []
        while true {
            let batch = try await keyspace.changes(query)
            rows += batch.rows.map { "\($0.position) \($0.id) \($0.revision) \($0.otherLeaves) \($0.departure.map { "\($0)" } ?? "")" }
            query.since = batch.position
            if batch.isCaughtUp { return rows }
        }
    }

    /// Adds, changes, moves between channels, deletes or branches a document at random.
    private static func step(_ fixture: Fixture, _ generator: inout SeededGenerator) async throws {
        let id = "d\(Int.random(in: 0..<25, using: &generator))"
        let channels = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in "c\(Int.random(in: 0..<400, using: &generator))" }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: try await fixture.unified.put(id, channels: nil)
        case 1:
            let digest = String(Int.random(in: 10..<100, using: &generator))
            let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
            try await fixture.unified.push(id, "1-\(digest)", body: "{\"channels\":[\(list)]}")
        default: try await fixture.unified.put(id, channels: channels)
        }
    }

    @Test("The rows equal those of the whole feed, from any position and in batches of any length", arguments: 0..<6)
    func same(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: Set(Self.names))
        let start = FeedPosition(try await fixture.store.read { try $0.lastSequence })
        // So many changes that the whole feed is read by its channels.
        for _ in 0..<170 { try await Self.step(fixture, &generator) }
        let end = try await fixture.store.read { try $0.lastSequence }
        for keyspace in [fixture.unified, try fixture.collection("_default")].map({ $0.seen(by: "anna") }) {
            for asked in [nil, Set(Self.names.prefix(250))] {
                let whole = try await Self.rows(keyspace, since: start, limit: 1_000, asked: asked)
                #expect(whole.count > 10)
                for back in [1, 2, 5, 20, 60, 99] as [Int64] {
                    let since = FeedPosition(SequenceNumber(end.value - back))
                    let expected = whole.filter { $0 > "\(since) " + "~" }
                    for limit in [1, 7, 1_000] {
                        #expect(try await Self.rows(keyspace, since: since, limit: limit, asked: asked) == expected)
                    }
                }
            }
        }
    }

    @Test("Documents that came into a channel without a change of their own are included")
    func apart() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: Set(Self.names))
        for number in 0..<5 { try await fixture.unified.put("d\(number)", channels: ["elsewhere"]) }
        let since = FeedPosition(try await fixture.store.read { try $0.lastSequence })
        try await fixture.store.write { transaction in
            let document = try #require(try transaction.document(unifiedID: "d2"))
            try transaction.setChannels(["c7"], of: document, at: try transaction.nextSequence())
        }
        try await fixture.unified.put("d3", channels: ["c8"])
        #expect(try await fixture.unified.seen(by: "anna").rows(since: since) == ["d2", "d3"])
    }

    @Test("The rows are read without a query for each channel", arguments: [1, 50])
    func direct(changes: Int) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: Set(Self.names))
        try await fixture.unified.put("a", channels: ["c1"])
        let since = FeedPosition(try await fixture.store.read { try $0.lastSequence })
        for number in 0..<changes { try await fixture.unified.put("d\(number)", channels: ["c\(number)", "c200"]) }
        let anna = fixture.unified.seen(by: "anna")
        var query = ChangesQuery()
        query.since = since
        let news = try await anna.store.read { [query] snapshot in
            let reader = try ChangesReader(keyspace: anna, query: query, snapshot: snapshot)
            return try reader.channelReader(reader.access).news()
        }
        #expect(news?.sources.allSatisfy(\.kind.isOfMoves) == true)
        #expect(news?.news.count == 2 * changes)
    }
}
