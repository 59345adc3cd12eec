import BridgeConfiguration
import Documents
import Gateway
import Peers
import Server
import Storage
import TestSupport
import Testing

/// A legacy upstream, a modern upstream, and a bridge that replicates with both, through proxies.
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

    /// The folder of the bridge's store.
    let folder: TemporaryFolder

    /// Runs the upstreams, with closed proxies.
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

    /// Runs the bridge, with its former store.
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

    /// Opens the proxy to an upstream, and restarts the replication instead of the next wait.
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
        // A failed replication is stopped, too.
        return status["status"]?.string == "error" ? "stopped" : status["status"]?.string
    }

    // MARK: Convergence

    /// Waits until all three have the same documents, and reports the differences after a timeout.
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
            // Yields to the awaited tasks.
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
            // A 2.x+ server gets only the winning branch.
            guard a.agrees(with: b), a.agrees(with: c), a.leaves == b.leaves else { return "\(id): \(a) here, \(b) legacy, \(c) modern" }
            let expected = a.body.contains(#""type":"order""#) ? "sales.orders" : "_default._default"
            guard a.isDeleted || (a.collection == expected && c.collection == expected) else { return "\(id) in \(a.collection)" }
            return b.collection == "_default._default" ? nil : "\(id) in \(b.collection) of the legacy upstream"
        }
    }
}
