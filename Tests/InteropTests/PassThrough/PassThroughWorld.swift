import Authentication
import BridgeConfiguration
import Cutover
import Gateway
import HTTP
import ReplicationService
import Server

/// A bridge in front of an old server that sends given bytes.
struct PassThroughWorld: Sendable {
    let bridge: RunningBridge
    let old: RawServer

    /// Runs the bridge of the database `shop`, whose old server has it as `stock`.
    static func run(
        at stage: CutoverStage = .shadow, down isDown: Bool = false, in folder: TemporaryFolder? = nil,
        _ configure: @escaping @Sendable (inout DevicesConfiguration) -> Void = { _ in },
        _ body: @Sendable (PassThroughWorld) async throws -> Void
    ) async throws {
        let old = try RawServer()
        defer { old.close() }
        try await RunningBridge.run(
            serving: { served in
                // The replication meets another server, so that it does not mix with the requests that are passed on.
                var legacy = ReplicationDefinition(target: .server(try RemoteAddress("http://127.0.0.1:1/shop")))
                legacy.continuous = true
                served.replications = ["legacy": legacy]
                served.cutover = CutoverConfiguration(legacy: "legacy")
                served.cutover?.firstStage = stage
                var devices = DevicesConfiguration()
                configure(&devices)
                served.cutover?.devices = devices
                served.authenticators.upstream = UpstreamConfiguration(
                    database: try VerificationEndpoint(configured: "\(isDown ? FakeServer.nobody : old.url)/stock", plainHTTP: .anywhere))
            }, in: folder
        ) { bridge in
            try await body(PassThroughWorld(bridge: bridge, old: old))
        }
    }

    /// Sends a request to the bridge, and returns both connections with the head that the old server has received.
    func exchange(_ request: String) async throws -> (client: RawSocket, server: RawSocket, head: String) {
        let client = try bridge.connect()
        try await client.send(request)
        let server = try await old.accept()
        return (client, server, try await server.read(until: "\r\n\r\n"))
    }
}
