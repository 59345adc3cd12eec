import ArgumentParser
import Foundation

/// `make bench`: what a document costs on each path, beside a plain SQLite insert of the same rows in the same run.
///
/// The figures are processor time of the server's process, which is steady on a machine that does other things as well;
/// compare them with the floor of the same run.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dualgauge-bench", abstract: "Measure what a document costs on each path.")

    @Option(help: "Documents.")
    var documents = 100_000

    @Option(help: "The program to measure.")
    var program = ".build/release/dualgauge"

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        print("\(documents) documents of about 300 B; microseconds of processor time a document")
        let rows = BenchmarkRows(count: documents)
        let floor = try PlainInsert.measure(rows, folder: folder)
        report("plain SQLite insert (the floor)", floor, floor: nil, memory: nil)
        let server = try await ServedProcess(program: program, folder: folder)
        defer { server.stop() }
        for path in try await BenchmarkPath.all(rows) {
            let before = try server.usage()
            let start = ContinuousClock.now
            try await path.run(server.port)
            let wall = start.duration(to: .now)
            let after = try server.usage()
            let cost = Cost(processor: after.processor - before.processor, wall: wall, documents: documents)
            report(path.name, cost, floor: floor, memory: after.memory)
        }
    }

    private func report(_ name: String, _ cost: Cost, floor: Cost?, memory: Int?) {
        let ratio = floor.map { String(format: "%6.2f x floor", cost.microseconds / $0.microseconds) } ?? String(repeating: " ", count: 14)
        let resident = memory.map { "  \($0 / 1024) MB resident" } ?? ""
        print(
            name.padding(toLength: 34, withPad: " ", startingAt: 0),
            String(format: "%7.2f us", cost.microseconds), String(format: "%9.0f/s wall", cost.rate), ratio, resident)
    }
}
