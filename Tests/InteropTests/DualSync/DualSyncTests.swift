import Documents
import Peers
import Storage
import TestSupport
import Testing

@Suite("A bridge between a legacy and a modern upstream", .serialized, .timeLimit(.minutes(5)))
struct DualSyncTests {
    enum Start: String, Sendable {
        case legacy
        case modern
        case bridge
    }

    static let orders: [[Start]] = [
        [.legacy, .modern, .bridge], [.legacy, .bridge, .modern], [.modern, .legacy, .bridge], [.modern, .bridge, .legacy],
        [.bridge, .legacy, .modern], [.bridge, .modern, .legacy],
    ]

    /// The initial documents of each upstream: its own, and two in conflict that both have.
    private func seed(_ sync: DualSync) async throws {
        for (index, isOrder) in [true, false].enumerated() {
            let (old, new) = ("old\(index)", "new\(index)")
            try await DualSyncClient.first.write(PeerRevision(old, "1-aa", isOrder: isOrder, attachment: "kept"), to: sync.legacy)
            try await DualSyncClient.third.write(PeerRevision(new, "1-aa", isOrder: isOrder, attachment: "new"), to: sync.modern)
        }
        for (id, old, new) in [("lower", "1-aa", "1-bb"), ("higher", "1-ff", "1-aa")] {
            try await DualSyncClient.first.write(PeerRevision(id, old, by: "legacy"), to: sync.legacy)
            try await DualSyncClient.third.write(PeerRevision(id, new, by: "modern"), to: sync.modern)
        }
    }

    /// The documents that clients of each generation write on the bridge.
    private func write(_ bridge: RunningBridge, _ prefix: String) async throws {
        for client in DualSyncClient.allCases {
            let id = "\(prefix)\(client.rawValue)"
            try await client.write(PeerRevision(id, "1-aa"), to: bridge)
            try await client.write(PeerRevision(id, "2-bb", "1-aa", attachment: id), to: bridge)
            try await client.write(PeerRevision("\(id)-plain", "1-aa", isOrder: false), to: bridge)
        }
    }

    @Test("Every order of starts has the same result", arguments: orders)
    func startOrders(order: [Start]) async throws {
        try await DualSync.run { sync in
            try await seed(sync)
            let before = order.prefix { $0 != .bridge }
            if before.contains(.legacy) { sync.legacyProxy.open() }
            if before.contains(.modern) { sync.modernProxy.open() }
            try await sync.withBridge { bridge in
                try await write(bridge, "b")
                for start in order.drop(while: { $0 != .bridge }).dropFirst() {
                    try await sync.restore(start == .legacy ? .legacy : .modern, of: bridge)
                    try await write(bridge, "after-\(start)")
                }
                let result = try await sync.converge(bridge)
                #expect(result.count == 6 + 6 * (3 - before.count))
                // The winner of a conflict does not depend on the order.
                #expect(result["lower"]?.body.contains("modern") == true, "\(result["lower"]?.description ?? "")")
                #expect(result["higher"]?.body.contains("legacy") == true, "\(result["higher"]?.description ?? "")")
                #expect(result["b2"]?.attachments.count == 1 && result["old0"]?.attachments.count == 1)
                try await bridge.expectSound(after: "dual-sync")
            }
        }
    }

    @Test("The databases converge after an upstream is lost during writes and returns", arguments: DualSync.Upstream.allCases)
    func loss(of upstream: DualSync.Upstream) async throws {
        try await DualSync.run { sync in
            try await seed(sync)
            sync.legacyProxy.open()
            sync.modernProxy.open()
            try await sync.withBridge { bridge in
                try await write(bridge, "b")
                sync.proxy(upstream).close()
                try await write(bridge, "without")
                // On both sides of the interruption: an edit, a deletion, and conflicting edits of one document.
                let server = sync.server(upstream)
                let client: DualSyncClient = upstream == .legacy ? .first : .third
                try await client.write(PeerRevision("there", "1-aa"), to: server)
                let (old, new) = ("old0", "new0")
                let (mine, theirs) = upstream == .legacy ? (new, old) : (old, new)
                try await client.write(PeerRevision(theirs, "2-cc", "1-aa", isDeleted: true), to: server)
                try await eventually { try await bridge.ask("GET", "/shop/\(mine)").status == 200 }
                try await DualSyncClient.first.write(PeerRevision(mine, "2-dd", "1-aa", by: "bridge"), to: bridge)
                try await sync.restore(upstream, of: bridge)
                try await write(bridge, "again")
                let result = try await sync.converge(bridge)
                #expect(result[theirs]?.isDeleted == true && result[mine]?.winner == "2-dd")
                #expect(result["there"]?.winner == "1-aa" && result["without1"]?.winner == "2-bb")
            }
        }
    }

    @Test("The databases converge after a restart of the bridge with writes everywhere meanwhile")
    func restart() async throws {
        try await DualSync.run { sync in
            try await seed(sync)
            sync.legacyProxy.open()
            sync.modernProxy.open()
            try await sync.withBridge { bridge in try await write(bridge, "b") }
            try await DualSyncClient.first.write(PeerRevision("old0", "2-cc", "1-aa", by: "meanwhile"), to: sync.legacy)
            try await DualSyncClient.third.write(PeerRevision("new0", "2-cc", "1-aa", by: "meanwhile"), to: sync.modern)
            // Checkpoints must not include revisions that were not transferred.
            try await sync.withBridge { bridge in
                try await write(bridge, "c")
                sync.legacyProxy.close()
                sync.modernProxy.close()
            }
            sync.legacyProxy.open()
            sync.modernProxy.open()
            try await sync.withBridge { bridge in
                let result = try await sync.converge(bridge)
                #expect(result["old0"]?.winner == "2-cc" && result["new0"]?.winner == "2-cc")
                #expect(result.count == 18)
            }
        }
    }

    @Test("A write is one change everywhere, without an echo, and an idle system sends only heartbeats")
    func silence() async throws {
        try await DualSync.run { sync in
            try await seed(sync)
            sync.legacyProxy.open()
            sync.modernProxy.open()
            try await sync.withBridge { bridge in
                try await write(bridge, "b")
                _ = try await sync.converge(bridge)
                let stores = [bridge.store, sync.legacy.store, sync.modern.store]
                let before = try await sequences(stores)
                try await DualSyncClient.first.write(PeerRevision("l", "1-aa"), to: sync.legacy)
                try await DualSyncClient.third.write(PeerRevision("m", "1-aa"), to: sync.modern)
                try await DualSyncClient.second.write(PeerRevision("b", "1-aa"), to: bridge)
                _ = try await sync.converge(bridge)
                try await quiet(sync, bridge)
                #expect(try await sequences(stores) == before.map { $0 + 3 })
                // The checkpoints have been saved: a stop transfers nothing.
                let checkpoints = try await self.checkpoints(sync)
                for upstream in DualSync.Upstream.allCases {
                    try await sync.act("stop", upstream, bridge)
                    try await eventually { try await sync.status(upstream, bridge) == "stopped" }
                }
                #expect(try await self.checkpoints(sync) == checkpoints)
                #expect(try await sequences(stores) == before.map { $0 + 3 })
            }
        }
    }

    private func sequences(_ stores: [any StoreEngine]) async throws -> [Int64] {
        var sequences: [Int64] = []
        for store in stores { sequences.append(try await store.read { try $0.lastSequence.value }) }
        return sequences
    }

    /// The times of checkpoint writes at the upstreams.
    private func checkpoints(_ sync: DualSync) async throws -> [[Int64]] {
        var times: [[Int64]] = []
        for store in [sync.legacy.store, sync.modern.store] {
            times.append(try await store.read { try $0.checkpointRecords(since: 0, limit: 100).map(\.lastSeen) })
        }
        return times
    }

    /// Waits for a round of unrelated work in which only heartbeats are sent. A system with echoes never has such a round.
    private func quiet(_ sync: DualSync, _ bridge: RunningBridge) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            let checkpoints = try await self.checkpoints(sync)
            let bytes = sync.legacyProxy.bytes + sync.modernProxy.bytes
            for number in 0..<20 {
                for server in [bridge, sync.legacy, sync.modern] {
                    try await server.store.write { try $0.set("\(number)", forSetting: "unrelated") }
                    #expect(try await server.admin("GET", "/shop/_changes").status == 200)
                }
            }
            let sent = sync.legacyProxy.bytes + sync.modernProxy.bytes - bytes
            let statuses = [try await sync.status(.legacy, bridge), try await sync.status(.modern, bridge)]
            let isIdle = statuses.allSatisfy { $0 == "running" }
            let saved = try await self.checkpoints(sync).map(\.count) == checkpoints.map(\.count)
            // A heartbeat has a few bytes, any message or request more.
            if sent < 60, isIdle, saved { return }
            guard ContinuousClock.now < deadline else {
                Issue.record("an idle system still sends: \(sent) bytes in the last round")
                return
            }
        }
    }
}
