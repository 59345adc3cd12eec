import ArgumentParser
import Documents
import Migration

/// `dualgauge parked …`.
struct ParkedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "List, retry or forget revisions that one side of a replication has refused.",
        discussion: """
            A revision that one side refuses is parked with the reason, and the replication continues without it. It is removed from the list when \
            it, or a newer revision of its document, is accepted.

              dualgauge parked list shop
              dualgauge parked retry shop --replication legacy
              dualgauge parked forget shop --id order::17
            """,
        subcommands: [ParkedList.self, ParkedRetry.self, ParkedForget.self])
}

/// Parked revisions of a running bridge's database.
struct ParkedTarget: ParsableArguments {
    @OptionGroup var bridge: BridgeDatabase

    @Option(help: ArgumentHelp("Only revisions of one replication.", valueName: "name"))
    var replication: String?

    func connection() throws -> RemoteAdminConnection {
        // A retry of many revisions with a slow server takes long.
        try bridge.connection(timeout: 3_600)
    }
}

/// `dualgauge parked list DB`.
struct ParkedList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the parked revisions with the reasons.")

    @OptionGroup var target: ParkedTarget

    @Option(help: "The maximum number of revisions to list.")
    var limit = 100

    @Option(help: "The number of revisions to skip.")
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

/// `dualgauge parked retry DB`.
struct ParkedRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try parked revisions again, a thousand at a time, and print the results.",
        discussion: "Exit codes: 0 all were accepted, 1 some were refused again or not tried, 3 the bridge cannot be reached.")

    @OptionGroup var target: ParkedTarget

    @Option(help: ArgumentHelp("Only revisions of one document.", valueName: "document"))
    var id: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let answer = try await target.connection().ask("POST", "_parked", ParkedForget.body("retry", target, id)).json
        let counts = ["done", "refused", "untried"].map { answer[$0]?.int ?? 0 }
        let failed = (answer["results"]?.array ?? []).filter { $0["outcome"]?.string != "done" }.map { row in
            let words = ["replication", "direction", "id", "revision", "outcome"].map { ReportFormat.plain(row[$0]?.string ?? "") }
            return "\(words.joined(separator: " ")): \(ReportFormat.plain(row["reason"]?.string ?? ""))"
        }
        let summary = "\(counts[0]) accepted, \(counts[1]) refused, \(counts[2]) not tried; \(answer["total"]?.int ?? 0) parked"
        try AccountAction.show(answer, output, text: (failed + [summary]).joined(separator: "\n"))
        guard counts[1] + counts[2] == 0 else { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}

/// `dualgauge parked forget DB`.
struct ParkedForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove revisions from the list: they are not sent again unless their documents change.")

    @OptionGroup var target: ParkedTarget

    @Option(help: ArgumentHelp("Only revisions of one document.", valueName: "document"))
    var id: String?

    @Flag(help: "All revisions of the database, if neither a replication nor a document is named.")
    var all = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all || target.replication != nil || id != nil else {
            throw ValidationError("Name the revisions: --replication NAME, --id DOCUMENT, or --all.")
        }
    }

    func run() async throws {
        let answer = try await target.connection().ask("POST", "_parked", Self.body("forget", target, id)).json
        try AccountAction.show(
            answer, output, text: "\(answer["forgotten"]?.int ?? 0) forgotten; \(answer["total"]?.int ?? 0) parked")
    }

    static func body(_ action: String, _ target: ParkedTarget, _ id: String?) -> JSONValue {
        var members = [JSONMember("action", .string(action))]
        if let replication = target.replication { members.append(JSONMember("replication", .string(replication))) }
        if let id { members.append(JSONMember("id", .string(id))) }
        return .object(members)
    }
}
