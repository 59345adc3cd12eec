import ArgumentParser
import Foundation
import Soak

/// `dualgauge-bench soak`: a long-running load test with all kinds of clients and troubles (docs/soak.md).
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "soak", abstract: "Run a continuous load with injected troubles.")

    @Option(help: "Minutes of load.")
    var minutes = 60.0

    @Option(help: "The number of clients, of all kinds.")
    var clients = 2_000

    @Option(help: "The number of these clients that write without pauses. Default: one of 32.")
    var writers: Int?

    @Option(help: "The number of further clients, which follow feeds without changes.")
    var idle = 0

    @Option(help: "The seed of the clients' roles and of the order of the troubles.")
    var seed: UInt64 = 1

    @Option(help: "The troubles, separated by commas, or `none`. Default: all that fit.")
    var troubles: String?

    @Option(help: "The longest duration of a trouble, in seconds.")
    var longest = 20.0

    @Option(help: "samples/cluster/cluster.sh, for a soak of a cluster in place of a single bridge.")
    var cluster: String?

    @Option(help: "The limit of resident memory, in MiB.")
    var memory = SoakBounds().memory

    @Option(help: "The program to measure.")
    var program = ".build/release/dualgauge"

    @Option(help: "The library that injects the troubles.")
    var library = ".build/release/libTroubles.so"

    @Flag(help: "Print each error that a client gets.")
    var verbose = false

    func validate() throws {
        guard clients > 0, (writers ?? 0) >= 0, idle >= 0 else {
            throw ValidationError("The numbers of clients must not be negative, and at least one client is needed.")
        }
    }

    func run() async throws {
        let troubles = try chosenTroubles
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-soak-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var settings = SoakSettings(
            duration: .seconds(minutes * 60), clients: clients, seed: seed, troubles: troubles, program: program,
            library: URL(fileURLWithPath: library).path, folder: folder)
        settings.bounds.memory = memory
        settings.longestTrouble = .seconds(longest)
        if let cluster {
            settings.cluster = URL(fileURLWithPath: cluster).path
            // The bridges end one after the other, and serve on for a time.
            settings.bounds.ending = .seconds(30)
        }
        settings.writers = writers
        settings.idle = idle
        let start = ContinuousClock.now
        settings.reportProgress = { print("\(Int(start.duration(to: .now) / .seconds(1))) s: \($0)") }
        if verbose { settings.reportError = settings.reportProgress }
        print("\(clients) clients, \(minutes) minutes, seed \(seed), in \(folder)")
        let report = try await Soak(settings).run()
        print(report.text)
        // After a violated bound, the folder with the log and the store is left for inspection.
        guard report.breaches.isEmpty else { throw ExitCode.failure }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private var chosenTroubles: [Trouble] {
        get throws {
            let possible = cluster == nil ? Trouble.ofBridge : Trouble.ofCluster
            guard let troubles else { return possible }
            return try troubles.split(separator: ",").filter { $0 != "none" }.map { name in
                guard let trouble = possible.first(where: { $0.rawValue == name }) else {
                    throw ValidationError("No trouble \(name) here. The troubles are \(possible.map(\.rawValue).joined(separator: ", ")).")
                }
                return trouble
            }
        }
    }
}
