import Coordination
import Foundation

/// `dualgauge migrate --in` and its revert, while a bridge serves the same store to a client.
struct InPlacePath {
    /// Collections and routes, for `--routes` and for a configuration.
    static let routes = """
        collections: { sales.orders: {} }
        routes:
          - { to: sales.orders, when: { property: type, equals: order } }

        """

    let database: String
    let documents: Int
    let folder: String
    let program: String

    private var store: String { "\(folder)/shop.dualgauge" }

    func run() async throws {
        var fill = MeasuredCommand(program, ["migrate", "--from", database, "--to", store, "--no-verify", "--quiet", "--json"])
        try await fill.run()
        let routes = "\(folder)/in-place.yaml"
        try Self.routes.write(toFile: routes, atomically: true, encoding: .utf8)
        let served = Self.routes.split(separator: "\n").map { "    \($0)\n" }.joined()
        let server = try await ServedProcess(
            program: program, folder: folder,
            databases: "  shop:\n    store: ./shop.dualgauge\n    guest: { enabled: true, channels: [\"*\"] }\n" + served)
        defer { server.stop() }
        let client = ConcurrentClient(database: "http://127.0.0.1:\(server.port)/shop")
        // The baseline without other work has a fixed duration.
        report("nothing", try await client.requests { try await suspend(for: .seconds(5)) })
        var move = MeasuredCommand(program, ["migrate", "--in", store, "--routes", routes, "--quiet", "--json"])
        report("migrate --in", try await client.requests { try await move.run() })
        var revert = MeasuredCommand(program, move.arguments + ["--revert"])
        report("migrate --in --revert", try await client.requests { try await revert.run() })
        for (name, command) in [("migrate --in", move), ("migrate --in --revert", revert)] {
            let rate = Double(documents) / (command.wall / .seconds(1))
            print(
                name.padding(toLength: 42, withPad: " ", startingAt: 0),
                String(format: "%7.1f s %9.0f/s wall  %d MB at most", command.wall / .seconds(1), rate, command.memory / 1024))
        }
        print(String(format: "  the revert took %.2f of the move", revert.wall / move.wall))
    }

    private func report(_ name: String, _ waits: [ConcurrentClient.Waits]) {
        for wait in waits {
            print(
                "  \(wait.name) beside \(name)".padding(toLength: 42, withPad: " ", startingAt: 0),
                String(format: "%7d requests, 99 %% below %.0f ms, longest %.0f ms", wait.count, wait.most, wait.longest))
        }
    }
}
