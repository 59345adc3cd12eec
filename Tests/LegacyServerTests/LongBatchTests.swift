import Access
import Gateway
import LegacyTestSupport
import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Feeds of readers of many channels")
struct LongBatchTests {
    private static let names = (0..<60).map { "c\($0)" }

    private static func bridge() async throws -> Bridge {
        let bridge = try await Bridge()
        var change = AccountChange()
        change.channels = Set(names)
        try await Accounts(bridge.store).put(.user("anna"), change)
        for number in 0..<100 { try await bridge.push("{\"_id\":\"d\(number)\",\"_rev\":\"1-x\",\"channels\":\"c\(number % 60)\"}") }
        return bridge
    }

    @Test(
        "Rows that were read ahead are sent in batches of the usual length, once, and the feed goes on behind them", arguments: [nil, 25])
    func pieces(limit: Int?) async throws {
        let bridge = try await Self.bridge()
        let keyspace = bridge.database.unified.seen(by: .user("anna"))
        var options = ChangesOptions()
        options.limit = limit
        var limits = LegacyLimits()
        limits.changesBatch = 10
        var cursor = ChangesCursor(options, since: .zero, limits: limits)
        var ids: [String] = []
        while !cursor.isCaughtUp, !cursor.isExhausted {
            let rows = try await cursor.next(from: keyspace)
            #expect(rows.count <= 10)
            if let last = rows.last, !cursor.isCaughtUp { #expect(cursor.position == last.position) }
            ids += rows.map(\.id)
        }
        #expect(ids == (0..<(limit ?? 100)).map { "d\($0)" })
    }
}
