import ArgumentParser
import Documents

/// `dualgauge cutover devices DB`.
struct CutoverDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Show or change which devices the bridge serves, and which it passes on to the old server.",
        discussion: """
            The database's configuration needs `cutover.devices`. The rules apply at the stage `dual`: before, everybody is passed on, and \
            afterwards everybody is served here. All devices of a user are on one side. A change takes effect at once: the devices that change \
            sides connect again, and go on where they were.

              dualgauge cutover devices shop
              dualgauge cutover devices shop --percent 5
              dualgauge cutover devices shop --move-user anna
              dualgauge cutover devices shop --back
              dualgauge cutover devices shop --resume --reason "the sync function is corrected"

            The bridge compares both groups of devices. With `cutover.devices.guard` it halts a move after which the moved devices are worse off, \
            or takes it back.

            Exit codes: 0 done, 2 usage or no such rules, 3 the bridge cannot be reached, 4 refused, because devices would move back while the \
            old server lacks documents that were written here, or because the guard has halted the moves.
            """)

    @OptionGroup var bridge: BridgeDatabase

    @Option(help: ArgumentHelp("Serve this share of all users, 0 to 100. A larger share only adds users.", valueName: "n"))
    var percent: Double?

    @Option(help: ArgumentHelp("Serve this user's devices. The option can be repeated.", valueName: "user"))
    var moveUser: [String] = []

    @Option(help: ArgumentHelp("Pass this user's devices on, whatever the other rules say. The option can be repeated.", valueName: "user"))
    var moveUserBack: [String] = []

    @Flag(help: "Pass all devices on: no share, no users, channels and addresses.")
    var back = false

    @Flag(help: "Permit moves again after the guard has halted them.")
    var resume = false

    @Flag(help: "Show the rules and both groups of devices; this is the default without other options.")
    var list = false

    @Flag(help: "Move devices although a gate or the guard refuses it. The change is recorded with the reason.")
    var force = false

    @Option(help: ArgumentHelp("The reason, which is recorded with the change.", valueName: "text"))
    var reason: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let percent, !(0...100).contains(percent) { throw ValidationError("--percent is a number from 0 to 100.") }
        guard !force || reason?.contains(where: { !$0.isWhitespace }) == true else {
            throw ValidationError("--force overrides gates; give the reason with --reason TEXT, which is recorded with the change.")
        }
        if list, isChange { throw ValidationError("--list changes nothing; leave it out, or the other options.") }
    }

    private var isChange: Bool { percent != nil || !moveUser.isEmpty || !moveUserBack.isEmpty || back || resume }

    func run() async throws {
        let connection = try bridge.connection()
        guard isChange else {
            let json = try await connection.ask("GET", "_cutover/devices").json
            return try AccountAction.show(json, output, text: DevicesText(json).rules)
        }
        var shared = [JSONMember("force", .bool(force))]
        if let reason { shared.append(JSONMember("reason", .string(reason))) }
        var changes: [[JSONMember]] = []
        var whole: [JSONMember] = back ? [JSONMember("back", .bool(true))] : []
        if resume { whole.append(JSONMember("resume", .bool(true))) }
        if let percent { whole.append(JSONMember("percent", .number("\(percent)"))) }
        if !whole.isEmpty { changes.append(whole) }
        changes += moveUser.map { [JSONMember("moveUser", .string($0))] }
        changes += moveUserBack.map { [JSONMember("moveUserBack", .string($0))] }
        var json = JSONValue.null
        for change in changes {
            var body: [UInt8] = []
            JSONValue.object(change + shared).append(to: &body)
            let reply = try await connection.send("POST", "_cutover/devices", body)
            json = (try? JSONValue(reply.body)) ?? .null
            switch reply.status {
            case 200..<300: continue
            case 412:
                try AccountAction.show(json, output, text: "Refused: \(json["reason"]?.string ?? "")")
                throw ExitCode(Failure.Code.refused.rawValue)
            case 401, 403: throw AdminRefusal(status: reply.status, reason: json["reason"]?.string ?? "")
            default: throw CutoverRefusal(status: reply.status, reason: json["reason"]?.string ?? "")
            }
        }
        try AccountAction.show(json, output, text: DevicesText(json).rules)
    }
}
