import ArgumentParser
import Documents

/// `dualgauge parked forget DB`.
struct ParkedForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Take revisions off the list: they are not sent again unless their documents change.")

    @OptionGroup var target: ParkedTarget

    @Option(help: ArgumentHelp("Those of one document only.", valueName: "document"))
    var id: String?

    @Flag(help: "All of the database, if neither a replication nor a document is named.")
    var all = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all || target.replication != nil || id != nil else {
            throw ValidationError("Say which: --replication NAME, --id DOCUMENT, or --all.")
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
