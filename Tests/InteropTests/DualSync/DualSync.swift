import BridgeConfiguration
import Documents
import Gateway
import Peers
import Server
import Storage
import TestSupport
import Testing

/// A legacy upstream, a modern upstream, and a bridge that replicates with both. Proxies stand in between.
struct DualSync: Sendable {
    enum Upstream: String, CaseIterable, Sendable {
        case legacy
        case modern
    }

    static let orders = CollectionName(scope: "sales", name: "orders")

    let legacy: RunningBridge
    let modern: RunningBridge
    let legacyProxy: TestProxy
    let modernProxy: TestProxy

    /// Where the bridge's store is.
    let folder: TemporaryFolder

    /// Runs the upstreams; nobody gets through to them yet.
    static func run(_ body: @Sendable (DualSync) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run({ database in
            database.collections = []
            database.routes = []
        }) { (legacy) async throws in
            try await RunningBridge.run({ $0.routes = [] }) { (modern) async throws in
                let proxies = (try TestProxy(to: legacy.port), try TestProxy(to: modern.port))
                defer {
                    proxies.0.end()
                    proxies.1.end()
                }
                try await body(
                    DualSync(legacy: legacy, modern: modern, legacyProxy: proxies.0, modernProxy: proxies.1, folder: folder))
            }
        }
    }

    func proxy(_ upstream: Upstream) -> TestProxy { upstream == .legacy ? legacyProxy : modernProxy }

    func server(_ upstream: Upstream) -> RunningBridge { upstream == .legacy ? legacy : modern }

    /// Runs the bridge, over the store that it had before.
    func withBridge(_ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        let (legacyPort, modernPort) = (legacyProxy.port, modernProxy.port)
        try await RunningBridge.run(
            serving: { served in
                var legacy = ReplicationDefinition(target: .server(try RemoteAddress("http://127.0.0.1:\(legacyPort)/shop")))
                legacy.continuous = true
                var modern = ReplicationDefinition(target: .server(try RemoteAddress("ws://127.0.0.1:\(modernPort)/shop")))
                modern.continuous = true
                modern.collections = [ReplicatedName(.default), ReplicatedName(Self.orders)]
                served.replications = ["legacy": legacy, "modern": modern]
            }, in: folder, body)
    }

    /// Lets the bridge through to an upstream, and has it try at once instead of after its next wait.
    func restore(_ upstream: Upstream, of bridge: RunningBridge) async throws {
        proxy(upstream).open()
        try await act("stop", upstream, bridge)
        try await eventually { try await status(upstream, bridge) == "stopped" }
        try await act("start", upstream, bridge)
    }

    func act(_ action: String, _ upstream: Upstream, _ bridge: RunningBridge) async throws {
        #expect(try await bridge.admin("PUT", "/shop/_replicationStatus/\(upstream)?action=\(action)").status == 200)
    }

    func status(_ upstream: Upstream, _ bridge: RunningBridge) async throws -> String? {
        let status = try JSONValue(try await bridge.admin("GET", "/shop/_replicationStatus/\(upstream)").body)
        // One that has failed is stopped, too.
        return status["status"]?.string == "error" ? "stopped" : status["status"]?.string
    }

    // MARK: Convergence

    /// Waits until all three have the same, and tells what differs if that takes too long.
    func converge(_ bridge: RunningBridge, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String: DocumentState] {
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            let here = try await DocumentState.all(in: bridge.store)
            let differences = try await differences(here)
            if differences.isEmpty { return here }
            guard ContinuousClock.now < deadline else {
                Issue.record("not the same after two minutes: \(differences)", sourceLocation: sourceLocation)
                throw RawSocket.Failure(message: "no convergence")
            }
            // Gives way to what is being waited for.
            _ = try await bridge.ask("GET", "/shop/")
        }
    }

    private func differences(_ here: [String: DocumentState]) async throws -> [String] {
        let old = try await DocumentState.all(in: legacy.store)
        let new = try await DocumentState.all(in: modern.store)
        return Set(here.keys).union(old.keys).union(new.keys).sorted().compactMap { id in
            guard let a = here[id], let b = old[id], let c = new[id] else {
                return "\(id): \(here[id]?.winner ?? "none") here, \(old[id]?.winner ?? "none") legacy, \(new[id]?.winner ?? "none") modern"
            }
            // A 2.x+ server hears of the winning branch alone.
            guard a.agrees(with: b), a.agrees(with: c), a.leaves == b.leaves else { return "\(id): \(a) here, \(b) legacy, \(c) modern" }
            let expected = a.body.contains(#""type":"order""#) ? "sales.orders" : "_default._default"
            guard a.isDeleted || (a.collection == expected && c.collection == expected) else { return "\(id) in \(a.collection)" }
            return b.collection == "_default._default" ? nil : "\(id) in \(b.collection) of the legacy upstream"
        }
    }
}
