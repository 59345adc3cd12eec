import ArgumentParser
import Documents
import Migration

/// `dualgauge parked retry DB`.
struct ParkedRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try parked revisions again, a thousand at a time, and say what came of them.",
        discussion: "Exit codes: 0 all have got through, 1 some were refused again or not tried, 3 the bridge cannot be reached.")

    @OptionGroup var target: ParkedTarget

    @Option(help: ArgumentHelp("Those of one document only.", valueName: "document"))
    var id: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let answer = try await target.connection().ask("POST", "_parked", ParkedForget.body("retry", target, id)).json
        let counts = ["done", "refused", "untried"].map { answer[$0]?.int ?? 0 }
        let failed = (answer["results"]?.array ?? []).filter { $0["outcome"]?.string != "done" }.map { row in
            let words = ["replication", "direction", "id", "revision", "outcome"].map { ReportFormat.plain(row[$0]?.string ?? "") }
            return "\(words.joined(separator: " ")): \(ReportFormat.plain(row["reason"]?.string ?? ""))"
        }
        let summary = "\(counts[0]) got through, \(counts[1]) refused, \(counts[2]) not tried; \(answer["total"]?.int ?? 0) parked"
        try AccountAction.show(answer, output, text: (failed + [summary]).joined(separator: "\n"))
        guard counts[1] + counts[2] == 0 else { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
