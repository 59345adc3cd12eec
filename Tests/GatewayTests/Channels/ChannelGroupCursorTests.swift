import Documents
import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite("Channels that are read together")
struct ChannelGroupCursorTests {
    private static let names = (0..<40).map { "c\($0)" }

    /// A random history: dense and sparse parts, documents in many channels, removals, and losses of access.
    private static func fill(_ fixture: Fixture, _ generator: inout SeededGenerator) async throws {
        try await fixture.user("anna", channels: Set(names.prefix(30)))
        for number in 0..<120 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: for other in 0..<20 { try await fixture.unified.put("x\(number)-\(other)", channels: ["elsewhere"]) }
            case 1: try await fixture.unified.put("d\(number)", channels: names)
            case 2: try await fixture.unified.put("d\(number / 2)", channels: nil)
            case 3 where number % 3 == 0: try await fixture.user("anna", channels: Set(names.dropFirst(number % 20).prefix(25)))
            default:
                let some = names.filter { _ in generator.once(in: 20) }
                try await fixture.unified.put("d\(Int.random(in: 0..<60, using: &generator))", channels: some)
            }
        }
    }

    /// The merged rows of a plan, in order. The sources of a position have no order here.
    private static func rows(
        of plan: FeedPlan, in snapshot: any StoreSnapshot, together fewest: Int, rows count: Int, scope: FeedScope, isDescending: Bool
    ) throws -> [String] {
        var merge = try FeedMerge(
            plan.sources, scope: scope, rows: count, isDescending: isDescending, together: fewest, in: snapshot)
        var rows: [String] = []
        while let (position, entries) = try merge.next() {
            let entries = entries.map { source, row in
                "\(source.kind) \(source.phase) \(row.document.id) \(row.document.sequence) \(row.leftWith ?? "")"
            }
            rows.append("\(position): \(entries.sorted())")
        }
        return rows
    }

    @Test("The merged feed is that of channels that are read one by one, in both directions, from any position", arguments: 0..<8)
    func equal(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try await Fixture()
        try await Self.fill(fixture, &generator)
        let last = try await fixture.store.read { try $0.lastSequence }
        let (random, unified) = (generator, fixture.unified)
        for keyspace in [unified, try fixture.collection("_default")].map({ $0.seen(by: "anna") }) {
            try await keyspace.store.read { snapshot in
                var generator = random
                for _ in 0..<6 {
                    var query = ChangesQuery()
                    query.includesRevocations = Bool.random(using: &generator)
                    let origin = SequenceNumber.newOrigin.value
                    query.since = FeedPosition(
                        SequenceNumber(generator.once(in: 3) ? 0 : Int64.random(in: origin...last.value, using: &generator)))
                    let reader = try ChangesReader(keyspace: keyspace, query: query, snapshot: snapshot)
                    let channels = try reader.channelReader(reader.access)
                    for isDescending in [false, true] {
                        let alone = try Self.rows(
                            of: channels.plan(), in: snapshot, together: .max, rows: 100, scope: keyspace.scope, isDescending: isDescending)
                        for count in [1, 20, 1_000] {
                            let together = try Self.rows(
                                of: channels.plan(), in: snapshot, together: 2, rows: count, scope: keyspace.scope,
                                isDescending: isDescending)
                            #expect(together == alone)
                        }
                    }
                }
            }
        }
    }

    @Test("A window with more rows than a batch needs is read in smaller parts")
    func dense() async throws {
        let fixture = try await Fixture()
        let names = (0..<500).map { "c\($0)" }
        try await fixture.user("anna", channels: Set(names))
        for number in 0..<30 { try await fixture.unified.put("d\(number)", channels: names) }
        for limit in [1, 30, 1_000] {
            #expect(try await fixture.unified.seen(by: "anna").rows(limit: limit) == (0..<30).map { "d\($0)" })
        }
    }

    @Test("A reader of many channels gets longer batches where they are welcome, and the same rows")
    func ahead() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: Set(Self.names))
        for number in 0..<100 { try await fixture.unified.put("d\(number)", channels: [Self.names[number % 40]]) }
        let anna = fixture.unified.seen(by: "anna")
        var query = ChangesQuery()
        query.limit = 7
        #expect(try await anna.changes(query).rows.count == 7)
        query.readsAhead = true
        var batch = try await anna.changes(query)
        #expect(batch.rows.count == 41)
        #expect(!batch.isCaughtUp)
        let whole = batch
        let split = batch.split(after: 7)
        let rest = try #require(split)
        #expect(batch.rows.count == 7 && rest.rows.count == 34)
        #expect(batch.position == batch.rows.last?.position && !batch.isCaughtUp)
        #expect((batch.rows + rest.rows).map(\.id) == whole.rows.map(\.id))
        #expect(rest.position == whole.position)
        var short = rest
        let nothing = short.split(after: 34)
        #expect(nothing == nil)
        query.since = batch.position
        #expect(try await anna.changes(query).rows.prefix(34).map(\.id) == rest.rows.map(\.id))
    }
}
