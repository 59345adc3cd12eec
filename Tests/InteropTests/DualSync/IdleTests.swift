import BLIP
import Documents
import Peers
import Testing

@Suite("An idle bridge", .serialized, .timeLimit(.minutes(5)))
struct IdleTests {
    /// Longer than the five seconds after which replicators save their checkpoints.
    private static let period = 6_000

    /// The traffic on all connections to and from the bridge.
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
            // The connection of the clock is counted separately.
            answered: metrics.filter { $0.hasPrefix("dualgauge_requests_total{port=\"public\"") && !$0.contains("class=\"_changes\"") })
    }

    @Test("With both upstreams and 100 continuous clients an idle bridge sends nothing, and writes nothing")
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
                // Checkpoints and echoes end within some periods; an endless echo has no quiet period.
                var (before, quiet, periods) = (try await counts(sync, proxy, bridge), 0, 0)
                while quiet < 2, periods < 8 {
                    try await wait(bridge)
                    let after = try await counts(sync, proxy, bridge)
                    quiet = after == before ? quiet + 1 : 0
                    if quiet == 0 { before = after }
                    periods += 1
                }
                #expect(quiet == 2, "no quiet period: \(before)")
                // All clients are connected, and receive the next change.
                #expect(try await bridge.ask("PUT", "/shop/news", "{}").status == 201)
                try await fleet.receive(of: "news")
                #expect(proxy.bytes > before.clients)
            }
        }
    }

    /// A period of the bridge's own clock: a feed outside of the counted traffic, which ends by itself.
    private func wait(_ bridge: RunningBridge) async throws {
        let end = try JSONValue(try await bridge.ask("GET", "/shop/_changes?limit=1&descending=true").body)["last_seq"]?.string ?? "0"
        let answer = try await bridge.ask("GET", "/shop/_changes?feed=longpoll&since=\(end)&timeout=\(Self.period)")
        #expect(answer.status == 200)
    }
}
