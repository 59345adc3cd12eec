import ArgumentParser
import Documents

/// `dualgauge session create DATABASE NAME`.
struct SessionCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Begin a session for a user, and print its ID.", usage: AccountTarget.usage("session create"))

    @OptionGroup var target: AccountTarget

    @Option(help: ArgumentHelp("How long it lasts from its last use on.", valueName: "seconds"))
    var ttl: Int?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await target.connect("user", output.logger("session")) { connection, name in
            var members = [JSONMember("name", .string(name))]
            if let ttl { members.append(JSONMember("ttl", .number(String(ttl)))) }
            let session = try await connection.ask("POST", "_session", .object(members)).json
            let text =
                "\(session["cookie_name"]?.string ?? "")=\(session["session_id"]?.string ?? ""), until \(session["expires"]?.string ?? "")"
            try AccountAction.show(session, output, text: text)
        }
    }
}
