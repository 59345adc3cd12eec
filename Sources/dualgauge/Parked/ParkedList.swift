import ArgumentParser
import Documents
import Migration

/// `dualgauge parked list DB`.
struct ParkedList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Say what is parked, and why.")

    @OptionGroup var target: ParkedTarget

    @Option(help: "How many at most.")
    var limit = 100

    @Option(help: "How many to pass over.")
    var skip = 0

    @OptionGroup var output: OutputOptions

    func run() async throws {
        var path = "_parked?limit=\(limit)&skip=\(skip)"
        if let replication = target.replication { path += "&replication=\(RemoteAdminConnection.segment(replication))" }
        let answer = try await target.connection().ask("GET", path).json
        let rows = answer["parked"]?.array ?? []
        var table = TextTable(["replication", "direction", "collection", "document", "revision", "tries", "reason"])
        for row in rows {
            table.add(
                ["replication", "direction", "collection", "id", "revision"].map { ReportFormat.plain(row[$0]?.string ?? "") }
                    + ["\(row["attempts"]?.int ?? 0)", ReportFormat.plain(row["reason"]?.string ?? "")])
        }
        let total = "\(answer["total"]?.int ?? 0) parked"
        try AccountAction.show(answer, output, text: rows.isEmpty ? total : "\(table.rendered)\n\(total)")
    }
}
