import ArgumentParser
import Coordination
import Foundation
import NIOCore

/// `dualgauge-bench legacy-pull`: the rate at which the 1.x replicator pulls from the bridge's own listener, compared with a client that discards
/// all documents, and its rate over a link with latency.
struct LegacyPull: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "legacy-pull", abstract: "Measure a pull by the 1.x replicator.")

    @Option(help: "Documents.")
    var documents = 100_000

    @Option(help: "The round-trip time of the slow connection, in milliseconds.")
    var delay = 200

    @OptionGroup var program: MeasuredProgram

    func run() async throws { try await program.run(run(in:)) }

    private func run(in folder: String) async throws {
        let rows = BenchmarkRows(count: documents)
        let server = try await ServedProcess(program: program.path, folder: folder)
        defer { server.stop() }
        try await BenchmarkPath.legacyPush(rows).run(server.port)
        let reading = BenchmarkPath.legacyPull(rows)
        let listener = try await seconds { for path in reading { try await path.run(server.port) } }
        report("the listener, to a client that stores nothing", listener)
        let near = try await pull(server.port, to: "\(folder)/near.dualgauge")
        report("the replicator, into a store", near)
        let proxy = try await DelayingProxy(to: server.port, delay: .milliseconds(Int64(delay) / 2))
        let far = try await pull(proxy.port, to: "\(folder)/far.dualgauge")
        try await proxy.stop()
        report("the replicator, \(delay) ms away", far)
        print(String(format: "replicator / listener: %.2f of its rate; %d ms away: %.2f times as long", listener / near, delay, far / near))
    }

    private func pull(_ port: Int, to store: String) async throws -> Double {
        try await seconds {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program.path)
            process.arguments = ["replicate", "--from", "http://127.0.0.1:\(port)/http", "--to", store, "--pull", "--quiet"]
            let end = Promise<Int32, Never>()
            process.terminationHandler = { end.resolve(.success($0.terminationStatus)) }
            try process.run()
            guard await end.value() == 0 else { throw ExitCode.failure }
        }
    }

    private func seconds(_ work: () async throws -> Void) async throws -> Double {
        let time = try await ContinuousClock().measure(work)
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    private func report(_ name: String, _ seconds: Double) {
        print(
            name.padding(toLength: 48, withPad: " ", startingAt: 0), String(format: "%7.2f s %9.0f/s", seconds, Double(documents) / seconds)
        )
    }
}
