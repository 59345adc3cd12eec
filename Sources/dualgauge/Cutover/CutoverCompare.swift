import ArgumentParser
import Coordination
import Documents
import Migration

/// `dualgauge cutover compare DB`.
struct CutoverCompare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare a database with its old server, and list the documents that differ.",
        discussion: """
            The bridge compares the revisions of all documents, and the bodies and attachments of some more each time. It takes no step and \
            changes nothing. The comparison goes on if this command is interrupted; the command shows a running comparison's progress when it is \
            given again.

              dualgauge cutover compare shop
              dualgauge cutover compare shop --bodies all
              dualgauge cutover compare shop --last
              dualgauge cutover compare shop --stop

            Exit codes: 0 both have the same documents, 1 they differ, 2 usage, 3 the bridge or the old server cannot be reached.
            """)

    /// The documents that one request asks for.
    private static let page = 1_000

    /// The time between two requests for the progress.
    private static let interval = Duration.milliseconds(500)

    @OptionGroup var bridge: BridgeDatabase

    @OptionGroup var compared: ComparedBodies

    @Flag(help: "Show the last comparison; compare nothing.")
    var last = false

    @Flag(help: "Stop a running comparison.")
    var stop = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [last, stop, compared.bodies != nil].count(where: { $0 }) < 2 else {
            throw ValidationError("--last, --stop and --bodies exclude each other.")
        }
    }

    func run() async throws {
        let connection = try bridge.connection()
        if stop { return try AccountAction.show(try await connection.ask("DELETE", Self.path).json, output, text: "Stopped.") }
        if !last { try await compare(connection) }
        let json = try await answer(connection)
        let text = ComparisonText(json)
        try AccountAction.show(json, output, text: text.result)
        if text.hasFailed { throw ExitCode(Failure.Code.unreachable.rawValue) }
        if text.differs { throw ExitCode(Failure.Code.partial.rawValue) }
    }

    private static let path = "_cutover/comparison"

    /// Starts a comparison, or follows a running one, until its end.
    private func compare(_ connection: any AdminConnection) async throws {
        var json = try await connection.ask("GET", Self.path).json
        if json["running"] == .null {
            var body: [UInt8] = []
            JSONValue.object(compared.members).append(to: &body)
            let reply = try await connection.send("POST", Self.path, body)
            json = (try? JSONValue(reply.body)) ?? .null
            let reason = json["reason"]?.string ?? ""
            switch reply.status {
            case 200..<300: break
            case 401, 403: throw AdminRefusal(status: reply.status, reason: reason)
            default: throw CutoverRefusal(status: reply.status, reason: reason)
            }
        }
        let line = ProgressLine("comparing", isQuiet: output.quiet)
        while let running = json["running"], running != .null {
            line.show(
                MigrationProgress(
                    done: running["done"]?.int ?? 0, total: running["total"]?.int, activity: running["activity"]?.string, phase: .comparing)
            )
            try await suspend(for: Self.interval)
            json = try await connection.ask("GET", Self.path).json
        }
        line.finish()
    }

    /// The last comparison with all documents that are listed.
    private func answer(_ connection: any AdminConnection) async throws -> JSONValue {
        var (members, rows): ([JSONMember], [JSONValue]) = ([], [])
        while true {
            let json = try await connection.ask("GET", "\(Self.path)?limit=\(Self.page)&skip=\(rows.count)").json
            let page = json["differences"]?.array ?? []
            rows += page
            members = json.members ?? []
            if page.count < Self.page { break }
        }
        return .object(members.filter { $0.key != "differences" } + [JSONMember("differences", .array(rows))])
    }
}

/// The option for the bodies that a comparison reads.
struct ComparedBodies: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The number of documents whose bodies and attachments are compared as well, or all; documents that were compared before are not read \
            again. Default: `gates.bodies` of the configuration.
            """,
            valueName: "n|all"))
    var bodies: BodyCount?

    /// The member of a request to the admin port.
    var members: [JSONMember] {
        bodies.map { [JSONMember("bodies", $0.limit.map { .number("\($0)") } ?? .string("all"))] } ?? []
    }
}

/// Formats a comparison for a terminal.
struct ComparisonText {
    private let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    private var parity: JSONValue { json["parity"] ?? .null }
    private var differing: Int { parity["differing"]?.int ?? 0 }

    /// Whether there is no comparison, or it could not be finished.
    var hasFailed: Bool { parity == .null || parity["failure"]?.string != nil }
    var differs: Bool { differing > 0 }

    var result: String {
        guard parity != .null else { return "Both servers have not been compared yet." }
        if let failure = parity["failure"]?.string { return "The comparison has failed: \(failure)" }
        let count = "\(parity["compared"]?.int ?? 0) documents compared, with the bodies of \(parity["verified"]?.int ?? 0) so far: "
        guard differs else { return count + "no difference." }
        let kinds = (parity["kinds"]?.members ?? []).map { "\($0.key) \($0.value.int ?? 0)" }.joined(separator: ", ")
        let rows = json["differences"]?.array ?? []
        var table = TextTable(["difference", "collection", "document", ""])
        for row in rows {
            table.add([
                row["kind"]?.string ?? "", row["collection"]?.string ?? "", ReportFormat.plain(row["id"]?.string ?? ""),
                row["detail"]?.string.map { ReportFormat.plain($0) } ?? "",
            ])
        }
        let more = differing > rows.count ? ["\(differing - rows.count) more are not listed."] : []
        return ([count + "\(differing) differ (\(kinds)).", "", table.rendered] + more).joined(separator: "\n")
    }
}
