import BLIP
import Documents
import Peers
import Testing

@Suite("An idle bridge", .serialized, .timeLimit(.minutes(5)))
struct IdleTests {
    /// Longer than the five seconds after which replicators save their checkpoints.
    private static let period = 6_000

    /// What has happened on all ways to and from the bridge.
    private struct Counts: Equatable {
        let legacy: Int
        let modern: Int
        let clients: Int
        let commits: Substring?
        let answered: [Substring]
    }

    private func counts(_ sync: DualSync, _ clients: TestProxy, _ bridge: RunningBridge) async throws -> Counts {
        let metrics = try await bridge.admin("GET", "/metrics").text.split(separator: "\n")
        return Counts(
            legacy: sync.legacyProxy.bytes, modern: sync.modernProxy.bytes, clients: clients.bytes,
            commits: metrics.first { $0.hasPrefix("dualgauge_commits_total") },
            // The one that is the clock is counted elsewhere.
            answered: metrics.filter { $0.hasPrefix("dualgauge_requests_total{port=\"public\"") && !$0.contains("class=\"_changes\"") })
    }

    @Test("With both upstreams and 100 continuous clients it sends nothing, and writes nothing")
    func idle() async throws {
        try await DualSync.run { sync in
            sync.legacyProxy.open()
            sync.modernProxy.open()
            for index in 0..<3 {
                try await DualSyncClient.first.write(PeerRevision("old\(index)", "1-aa", isOrder: index == 0), to: sync.legacy)
                try await DualSyncClient.third.write(PeerRevision("new\(index)", "1-aa", isOrder: index == 0), to: sync.modern)
            }
            try await sync.withBridge { bridge in
                for client in DualSyncClient.allCases {
                    try await client.write(PeerRevision("here\(client.rawValue)", "1-aa", isOrder: false), to: bridge)
                }
                _ = try await sync.converge(bridge)
                let proxy = try TestProxy(to: bridge.port)
                defer { proxy.end() }
                proxy.open()
                let fleet = try await IdleFleet(of: 100, at: bridge, through: proxy.port)
                // Checkpoints and echoes come to their end in some periods; an echo that never ends has no quiet one.
                var (before, quiet, periods) = (try await counts(sync, proxy, bridge), 0, 0)
                while quiet < 2, periods < 8 {
                    try await wait(bridge)
                    let after = try await counts(sync, proxy, bridge)
                    quiet = after == before ? quiet + 1 : 0
                    if quiet == 0 { before = after }
                    periods += 1
                }
                #expect(quiet == 2, "there is always something: \(before)")
                // All of them are there, and hear of the next change.
                #expect(try await bridge.ask("PUT", "/shop/news", "{}").status == 201)
                try await fleet.hear(of: "news")
                #expect(proxy.bytes > before.clients)
            }
        }
    }

    /// A period by the bridge's own clock: a feed beside all that is counted, which ends by itself.
    private func wait(_ bridge: RunningBridge) async throws {
        let end = try JSONValue(try await bridge.ask("GET", "/shop/_changes?limit=1&descending=true").body)["last_seq"]?.string ?? "0"
        let answer = try await bridge.ask("GET", "/shop/_changes?feed=longpoll&since=\(end)&timeout=\(Self.period)")
        #expect(answer.status == 200)
    }
}
