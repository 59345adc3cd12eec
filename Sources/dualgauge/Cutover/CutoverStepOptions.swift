import ArgumentParser
import Documents

/// The options of a cutover step.
struct CutoverStepOptions: ParsableArguments {
    /// The time limit of a step, in seconds. It is long because a step compares all documents of both servers.
    private static let timeout: Int64 = 24 * 3_600

    @Option(help: ArgumentHelp("The stage to reach; if another stage is next, nothing is done.", valueName: "stage"))
    var to: String?

    @Flag(help: "Take the step although gates refuse it. The step is recorded with the reason.")
    var force = false

    @Option(help: ArgumentHelp("The reason, which is recorded with the step.", valueName: "text"))
    var reason: String?

    @Flag(help: "Measure everything and print what would happen; change nothing.")
    var dryRun = false

    @OptionGroup var compared: ComparedBodies

    func validate() throws {
        guard !force || reason?.contains(where: { !$0.isWhitespace }) == true else {
            throw ValidationError("--force overrides gates; give the reason with --reason TEXT, which is recorded with the step.")
        }
    }

    /// Makes a running bridge perform a step, and prints the result.
    func perform(_ action: String, on bridge: BridgeDatabase, _ output: OutputOptions) async throws {
        var members = [
            JSONMember("action", .string(action)), JSONMember("force", .bool(force)), JSONMember("dryRun", .bool(dryRun)),
        ]
        if let to { members.append(JSONMember("to", .string(to))) }
        members += compared.members
        if let reason { members.append(JSONMember("reason", .string(reason))) }
        var body: [UInt8] = []
        JSONValue.object(members).append(to: &body)
        let reply = try await bridge.connection(timeout: Self.timeout).send("POST", "_cutover", body)
        let json = (try? JSONValue(reply.body)) ?? .null
        switch reply.status {
        case 200..<300:
            try AccountAction.show(json, output, text: CutoverText(json).step)
            let hooks = json["hooks"]?.array ?? []
            if hooks.contains(where: { $0["succeeded"]?.bool == false }) { throw ExitCode(Failure.Code.partial.rawValue) }
        case 412:
            try AccountAction.show(json, output, text: CutoverText(json).refusal)
            throw ExitCode(Failure.Code.refused.rawValue)
        case 401, 403: throw AdminRefusal(status: reply.status, reason: json["reason"]?.string ?? "")
        default: throw CutoverRefusal(status: reply.status, reason: json["reason"]?.string ?? "")
        }
    }
}

/// A reply to a step that is neither a success nor a refusal by a gate.
struct CutoverRefusal: Error {
    let status: Int

    /// The reason in the bridge's reply.
    let reason: String

    var message: String { reason.isEmpty ? "the bridge answered \(status); see its log" : reason }
}
