import Documents
import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite("A reader's feed in both directions, as a whole and in batches")
struct FeedOrderTests {
    private static let channels = ["a", "b", "c", "d"]

    /// The row's meaning for a client, and its position.
    private static func describe(_ row: ChangeRow) -> String {
        "\(row.position) \(row.id) \(row.revision) \(row.otherLeaves) \(row.isDeleted) \(row.departure.map { "\($0)" } ?? "")"
    }

    private static func rows(_ keyspace: Keyspace, _ query: ChangesQuery) async throws -> [String] {
        try await keyspace.changes(query).rows.map(describe)
    }

    /// The feed, read in batches of a length.
    private static func batches(_ keyspace: Keyspace, _ query: ChangesQuery, of limit: Int) async throws -> [String] {
        var query = query
        query.limit = limit
        var rows: [String] = []
        while true {
            let batch = try await keyspace.changes(query)
            rows += batch.rows.map(describe)
            guard !batch.isCaughtUp else { return rows }
            query.since = batch.position
        }
    }

    private static func step(_ fixture: Fixture, _ generator: inout SeededGenerator) async throws {
        let some = Self.channels.filter { _ in generator.once(in: 3) }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: try await fixture.user("anna", channels: Set(some + (generator.once(in: 3) ? ["*"] : [])), roles: ["team"])
        case 1: try await fixture.role("team", channels: Set(some.prefix(2)))
        case 2: try await fixture.unified.put("d\(Int.random(in: 0..<12, using: &generator))", channels: nil)
        default: try await fixture.unified.put("d\(Int.random(in: 0..<12, using: &generator))", channels: some)
        }
    }

    @Test("The descending feed is the reversed feed, a limit takes its first rows, and batches give the whole feed", arguments: 0..<12)
    func turned(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"], roles: ["team"])
        var places = [FeedPosition.zero]
        for number in 1...40 {
            try await Self.step(fixture, &generator)
            guard number % 8 == 0 else { continue }
            for keyspace in [fixture.unified, try fixture.collection("_default")].map({ $0.seen(by: "anna") }) {
                for since in places {
                    for (revocations, active, asked) in [
                        (true, false, nil), (false, false, nil), (false, true, nil), (true, false, ["a", "c"]),
                    ] as [(Bool, Bool, Set<String>?)] {
                        var query = ChangesQuery()
                        (query.since, query.limit, query.allLeaves) = (since, 1_000, true)
                        (query.includesRevocations, query.activeOnly, query.channels) = (revocations, active, asked)
                        let whole = try await Self.rows(keyspace, query)
                        for limit in [1, 2, 5] { #expect(try await Self.batches(keyspace, query, of: limit) == whole) }
                        query.descending = true
                        #expect(try await Self.rows(keyspace, query) == whole.reversed())
                        query.limit = 3
                        #expect(try await Self.rows(keyspace, query) == Array(whole.reversed().prefix(3)))
                    }
                }
            }
            places.append(try await fixture.unified.seen(by: "anna").read().position)
        }
    }

    @Test("A reader of hundreds of channels gets each document once, in order, in batches of any length")
    func many() async throws {
        let fixture = try await Fixture()
        let names = (0..<300).map { "c\($0)" }
        try await fixture.user("anna", channels: Set(names))
        for number in 0..<60 {
            try await fixture.unified.put("d\(number)", channels: [names[number * 7 % 300], names[number * 11 % 300]])
        }
        let anna = fixture.unified.seen(by: "anna")
        let ids = (0..<60).map { "d\($0)" }
        for limit in [1, 7, 1_000] { #expect(try await anna.rows(limit: limit) == ids) }
        #expect(try await anna.rows(limit: 1_000) { $0.descending = true } == ids.reversed())
    }
}
