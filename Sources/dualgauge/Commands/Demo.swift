import ArgumentParser
import Foundation

/// `dualgauge demo`, which `make demo` runs.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the main job on the sample shop, with clients of both generations.",
        discussion: """
            Starts a bridge, lets a 1.x client (push and pull over HTTP) and a 2.x+ client (one WebSocket, named collections) write \
            and read through it, migrates the default collection into collections, and prints a table that shows all of them \
            converged. Exits with 0 on convergence, 1 otherwise.
            """)

    @Option(help: "The folder with the sample's dualgauge.yaml and routes.yaml.", completion: .directory)
    var sample = "samples/shop"

    @Flag(help: "Leave the bridge running, and print its URLs.")
    var keep = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let scenario = try DemoScenario(sample: sample, folder: folder.path, output: output)
        let hasConverged = try await scenario.run()
        if keep { try await scenario.keepServing() }
        if !hasConverged { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
