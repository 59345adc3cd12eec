import Authentication
import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTP
import Server
import TestSupport
import Testing

/// An old server, which is a bridge without collections, and a bridge with a cutover from it.
struct CutoverWorld: Sendable {
    let old: RunningBridge
    let new: RunningBridge

    /// Runs both.
    static func run(
        in folder: TemporaryFolder? = nil, _ configure: @escaping @Sendable (inout CutoverConfiguration) -> Void = { _ in },
        old configureOld: @escaping @Sendable (inout DatabaseConfiguration) -> Void = { _ in },
        database configureDatabase: @escaping @Sendable (inout ServerConfiguration.ServedDatabase) -> Void = { _ in },
        _ body: @Sendable (CutoverWorld) async throws -> Void
    ) async throws {
        try await withOld(configureOld) { old in try await run(over: old, in: folder, configure, database: configureDatabase, body) }
    }

    static func withOld(
        _ configure: @escaping @Sendable (inout DatabaseConfiguration) -> Void = { _ in },
        _ body: @Sendable (RunningBridge) async throws -> Void
    ) async throws {
        try await RunningBridge.run {
            $0.routes = []
            $0.collections = []
            configure(&$0)
        } _: { old in
            try await body(old)
        }
    }

    /// Runs the bridge with an old server that is already running.
    static func run(
        over old: RunningBridge, in folder: TemporaryFolder? = nil,
        _ configure: @Sendable (inout CutoverConfiguration) -> Void = { _ in },
        database configureDatabase: @Sendable (inout ServerConfiguration.ServedDatabase) -> Void = { _ in },
        _ body: @Sendable (CutoverWorld) async throws -> Void
    ) async throws {
        try await RunningBridge.run(
            serving: { served in
                var legacy = ReplicationDefinition(target: .server(try RemoteAddress("\(old.url)/shop")))
                legacy.continuous = true
                served.replications = ["legacy": legacy]
                var cutover = CutoverConfiguration(legacy: "legacy")
                configure(&cutover)
                served.cutover = cutover
                if cutover.devices != nil {
                    served.authenticators.upstream = UpstreamConfiguration(
                        database: try VerificationEndpoint(configured: "\(old.url)/shop", plainHTTP: .anywhere))
                }
                configureDatabase(&served)
            }, in: folder
        ) { new in
            try await body(CutoverWorld(old: old, new: new))
        }
    }

    /// Runs a bridge that reaches its old server through a proxy.
    static func withBridge(
        behind proxy: TestProxy, _ configure: @escaping @Sendable (inout CutoverConfiguration) -> Void = { _ in },
        _ body: @Sendable (RunningBridge) async throws -> Void
    ) async throws {
        let port = proxy.port
        try await RunningBridge.run(
            serving: { served in
                var legacy = ReplicationDefinition(target: .server(try RemoteAddress("http://127.0.0.1:\(port)/shop")))
                legacy.continuous = true
                served.replications = ["legacy": legacy]
                var cutover = CutoverConfiguration(legacy: "legacy")
                configure(&cutover)
                served.cutover = cutover
            }, body)
    }

    // MARK: Steps

    func status() async throws -> JSONValue { try await new.admin("GET", "/shop/_cutover").json }

    var stage: String? {
        get async throws { try await status()["stage"]?.string }
    }

    @discardableResult
    func ask(_ body: String) async throws -> RawAnswer { try await new.admin("POST", "/shop/_cutover", body) }

    /// Takes a step with all gates open, when the replication has caught up.
    func step(_ action: CutoverAction, to stage: CutoverStage, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await caughtUp()
        let answer = try await ask(#"{"action":"\#(action.rawValue)","to":"\#(stage.rawValue)"}"#)
        #expect(answer.status == 200, "\(answer.text)", sourceLocation: sourceLocation)
        let json = try answer.json
        #expect(json["outcome"]?.string == "taken" && json["stage"]?.string == stage.rawValue, sourceLocation: sourceLocation)
    }

    /// Takes a step with any state of the gates.
    func force(_ action: CutoverAction, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await ask(#"{"action":"\#(action.rawValue)","force":true,"reason":"a test"}"#)
        #expect(answer.status == 200, "\(answer.text)", sourceLocation: sourceLocation)
    }

    /// Waits until the gate has this state.
    func caughtUp() async throws {
        try await eventually {
            let gates = try await status()["gates"]?.array ?? []
            return gates.allSatisfy { $0["name"]?.string != "lag" || $0["passed"]?.bool == true }
        }
    }

    /// The direction of the replication with the old server, from the admin port; `nil` without one.
    var direction: String? {
        get async throws {
            let answer = try await new.admin("GET", "/shop/_replication/legacy")
            return answer.status == 404 ? nil : try answer.json["direction"]?.string
        }
    }

    // MARK: Documents

    static func write(_ id: String, _ body: String = "{}", on bridge: RunningBridge) async throws {
        #expect(try await bridge.ask("PUT", "/shop/\(id)", body).status == 201)
    }

    /// Waits until a server has documents.
    static func arrive(_ ids: String..., at bridge: RunningBridge) async throws {
        for id in ids { try await eventually { try await bridge.ask("GET", "/shop/\(id)").status == 200 } }
    }

    /// The leaves of every document, by ID.
    static func leaves(of bridge: RunningBridge) async throws -> [String: Set<String>] {
        let rows = try await bridge.admin("GET", "/shop/_changes?style=all_docs").json["results"]?.array ?? []
        let pairs = rows.compactMap { row -> (String, Set<String>)? in
            guard let id = row["id"]?.string, !id.hasPrefix("_") else { return nil }
            return (id, Set((row["changes"]?.array ?? []).compactMap { $0["rev"]?.string }))
        }
        return Dictionary(pairs) { $1 }
    }

    /// Waits until both servers have the same revisions of so many documents.
    func converged(_ count: Int) async throws {
        try await eventually {
            let (here, there) = (try await Self.leaves(of: new), try await Self.leaves(of: old))
            return here.count == count && here == there
        }
    }
}
