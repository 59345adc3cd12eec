import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The bridges that a soak loads and disturbs: one with a store in a folder, or a cluster.
protocol SoakServer: Sendable {
    /// The port of the clients.
    var port: Int { get }

    /// The admin port of a bridge that answers while there is no trouble.
    var adminPort: Int { get }

    /// The process that is measured; 0 for none.
    var process: pid_t { get }

    /// The exits of processes that were neither stopped nor killed by the soak.
    var unexpectedExits: [String] { get }

    /// Starts the bridges and waits until they respond.
    func start() async throws

    /// Stops the bridges in order. The store stays readable.
    ///
    /// - Returns: An exit code other than 0 if a bridge has not ended in order.
    func stop() async throws -> Int32

    /// Runs `dualgauge check` on the store.
    ///
    /// - Returns: Its exit code.
    func check() async throws -> Int32

    /// Ends everything that still runs.
    func shutDown() async throws

    func begin(_ trouble: Trouble) async throws

    /// Called at the middle of a trouble.
    func turn(_ trouble: Trouble) async throws

    func end(_ trouble: Trouble) async throws
}

/// The database of a soak.
enum SoakDatabase {
    static let name = "soak"
    static let collection = "soak.orders"

    /// Its configuration.
    ///
    /// - Parameter store: The folder or the address of the store.
    static func configuration(store: String) -> String {
        """
        databases:
          \(name):
            store: "\(store)"
            passwords: { cost: 10 }
            guest: { enabled: true, channels: [\(SoakAccount.publicChannel)] }
            collections: { \(collection): {} }
            routes: [{ to: \(collection), when: { property: type, equals: order } }]
        """
    }
}

extension SoakServer {
    var admin: HTTPWire { HTTPWire(client: .shared, base: "http://127.0.0.1:\(adminPort)") }

    /// Creates the users and the document that ``Prober`` reads.
    func prepare(_ users: [SoakAccount]) async throws {
        for user in users + [.everything] {
            try await admin.send(.PUT, "\(SoakDatabase.name)/_user/\(user.user ?? "")", user.json)
        }
        try await admin.send(.PUT, "\(SoakDatabase.name)/\(Prober.document)", #"{"channels":["\#(SoakAccount.publicChannel)"]}"#)
    }

    /// The values without labels of `/metrics`; empty if the bridge does not respond.
    func metrics() async -> [Substring: Double] {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(adminPort)/metrics")
        guard let answer = try? await HTTPClient.shared.execute(request, timeout: .seconds(30)),
            let bytes = try? await answer.body.collect(upTo: 4 << 20)
        else { return [:] }
        let lines = String(buffer: bytes).split(separator: "\n").map { $0.split(separator: " ") }
        return lines.reduce(into: [:]) { values, line in
            if line.count == 2, let value = Double(line[1]) { values[line[0]] = value }
        }
    }
}
