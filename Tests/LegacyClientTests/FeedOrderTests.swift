import Coordination
import Documents
import Gateway
import LegacyTestSupport
import Storage
import TestSupport
import Testing

@testable import LegacyClient

@Suite("A first copy has the order of the old server's feed", .timeLimit(.minutes(3)))
struct FeedOrderTests {
    /// Delays of responses: the first comes after many others, the rest after random delays.
    private final class Delays: Sendable {
        private let answered = Lock(0)
        private let others: Int

        /// - Parameter others: The number of responses before the first.
        init(others: Int) { self.others = others }

        func wait(_ number: Int, _ turns: Int) async {
            if number == 0 {
                await eventually { answered.withLock({ $0 }) >= others }
            } else {
                for _ in 0..<turns { await Task.yield() }
            }
            answered.withLock { $0 += 1 }
        }
    }

    private func fill(_ server: RemoteServer) async throws {
        for number in 0..<300 {
            // Some documents are in conflict: all their leaves are in one row.
            for digest in number % 20 == 3 ? ["aa", "bb", "cc"] : ["aa"] {
                try await server.bridge.push(#"{"_id":"d\#(number)","_rev":"1-\#(digest)","bad":\#(number % 50 == 7)}"#)
            }
        }
    }

    /// A Sync Gateway's rows name all leaves of a document. A bridge splits them for Couchbase Lite.
    private static func joined(_ feed: String) -> String {
        feed.replacing(
            /\{"seq":\d+,"id":"(d\d+)","changes":\[([^\]]+)\]\}\s*,\s*\{"seq":(\d+),"id":"\1","changes":\[([^\]]+)\]\}/
        ) { "{\"seq\":\($0.3),\"id\":\"\($0.1)\",\"changes\":[\($0.2),\($0.4)]}" }
    }

    private func rows(_ bridge: Bridge, since: FeedPosition = .zero) async throws -> [(place: String, id: String)] {
        var query = ChangesQuery()
        query.since = since
        return try await bridge.database.unified.changes(query).rows.map { ("\($0.sequence.value)", $0.id) }
    }

    @Test(
        "From each position in the old feed a client gets exactly the rows that the old server would have sent, whatever the order of its responses",
        arguments: [true, false])
    func translation(hasBulkGet: Bool) async throws {
        let old = try await RemoteServer()
        let here = try await Bridge {
            $0.collections = [
                CollectionConfiguration(
                    name: .default, syncFunction: "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }")
            ]
        }
        try await fill(old)
        let lost = ["d50", "d199"]
        let delays = Delays(others: hasBulkGet ? 29 : 200)
        let asked = Lock(0)
        let random = Lock(SeededGenerator(seed: 8))
        old.misbehave { entry, _ in
            if entry.path.contains("/_changes") { return .rewrite { Self.joined($0) } }
            let isBulk = entry.name == "POST _bulk_get"
            if isBulk, !hasBulkGet { return .status(404, "missing") }
            let isSingle = entry.name.hasPrefix("GET d")
            if isSingle, lost.contains(where: { entry.name == "GET \($0)" }) { return .status(404, "missing") }
            guard isBulk || (isSingle && !hasBulkGet) else { return nil }
            let number = asked.withLock { count in
                defer { count += 1 }
                return count
            }
            let turns = random.withLock { Int.random(in: 0..<3_000, using: &$0) }
            return .late {
                await delays.wait(number, turns)
            } _: { text in
                lost.reduce(text) { $0.replacing("\"_id\":\"\($1)\"", with: "\"_id\":\"other\"") }
            }
        }
        var limits = ReplicationLimits()
        limits.batch = 10
        let pull = try Replication(
            .pull, localDatabase: here.database.unified, remoteURL: old.url, limits: limits, clock: ImpatientClock(maximum: 1_000))
        pull.isUpstream = true
        pull.parking = Parking("legacy", in: here.database)
        pull.start()
        #expect(await pull.waitUntilStopped().lastError == nil)
        let (all, stored) = (try await rows(old.bridge), Set(try await rows(here).map(\.id)))
        #expect(stored.count == 300 - 6 - lost.count)
        for (index, row) in all.enumerated() {
            let position = try await here.database.unified.position(ofUpstream: UpstreamSequence(row.place))
            let expected = all[(index + 1)...].map(\.id).filter(stored.contains)
            let found = try await rows(here, since: position).map(\.id)
            #expect(
                found == expected,
                "\(row) is \(position): \(found.count) rows for \(expected.count), from \(found.prefix(3)) for \(expected.prefix(3))")
        }
        await old.close()
    }
}
