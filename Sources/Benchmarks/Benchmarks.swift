import ArgumentParser
import Foundation

/// The benchmarks: `make bench`, `make bench-scale`, `make soak`.
///
/// Each is a separate subcommand, so that their options do not clash.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dualgauge-bench", abstract: "Measure the performance of the bridge.",
        subcommands: [PathsCommand.self, ScaleCommand.self, StoresCommand.self, LegacyPull.self, SoakCommand.self],
        defaultSubcommand: PathsCommand.self)
}

/// The measured program and its working folder.
struct MeasuredProgram: ParsableArguments {
    @Option(name: .customLong("program"), help: "The program to measure.")
    var path = ".build/release/dualgauge"

    /// Calls `work` with a new folder, and removes the folder afterwards.
    func run(_ work: (_ folder: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await work(folder)
    }
}
