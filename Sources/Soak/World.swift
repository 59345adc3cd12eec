import AsyncHTTPClient
import Coordination
import HTTP
import NIOCore

/// The bridges, the ledger and the measurements, shared by all clients of a soak.
final class World: Sendable {
    let settings: SoakSettings
    let server: any SoakServer
    let ledger = WriteLedger()
    let stopwatch = Stopwatch()

    /// Whether clients still write, or only read.
    private let writing = Lock(true)

    /// The errors of clients and their counts.
    private let failures = Lock<[String: Int]>([:])

    /// The HTTP clients. Each soak client has its own, as a device does, so that no client waits for another's connection.
    private let connections = Lock<[HTTPClient]>([])

    var url: String { "http://127.0.0.1:\(server.port)/\(SoakDatabase.name)" }
    var webSocketURL: String { "ws://127.0.0.1:\(server.port)/\(SoakDatabase.name)" }
    var isWriting: Bool { writing.withLock { $0 } }
    var commonFailures: [(text: String, count: Int)] {
        failures.withLock { $0 }.map { (text: $0.key, count: $0.value) }.sorted { $0.count > $1.count }
    }

    init(_ settings: SoakSettings) throws {
        self.settings = settings
        server = try settings.cluster.map { try SoakCluster(settings, script: $0) } ?? SoakBridge(settings)
    }

    /// Creates the HTTP client of a further soak client.
    func http() -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(20)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        connections.withLock { $0.append(client) }
        return client
    }

    /// Closes all connections.
    func disconnect() async throws {
        for client in connections.withLock({ $0 }) { try await client.shutdown() }
    }

    func stopWriting() {
        writing.withLock { $0 = false }
    }

    func record(_ error: any Error, of client: String) {
        let text = "\(client): \(error)".replacing(#/[0-9]+/#, with: "#").prefix(160)
        settings.reportError("\(client): \(error)")
        failures.withLock { $0[String(text), default: 0] += 1 }
    }
}
