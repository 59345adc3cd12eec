import ArgumentParser
import Foundation

/// The benchmarks: `make bench`, `make bench-scale`, `make soak`.
///
/// Each is a command of its own, so that options of one do not hide those of another.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dualgauge-bench", abstract: "Measure what the bridge costs.",
        subcommands: [PathsCommand.self, ScaleCommand.self, LegacyPull.self, SoakCommand.self], defaultSubcommand: PathsCommand.self)
}

/// The program that a benchmark measures, and the folder in which it runs.
struct MeasuredProgram: ParsableArguments {
    @Option(name: .customLong("program"), help: "The program to measure.")
    var path = ".build/release/dualgauge"

    /// Gives `work` a new folder, and removes the folder afterwards.
    func run(_ work: (_ folder: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await work(folder)
    }
}
