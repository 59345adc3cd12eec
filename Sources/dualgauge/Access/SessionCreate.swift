import ArgumentParser
import Documents

/// `dualgauge session create NAME`.
struct SessionCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Begin a session for a user, and print its ID.")

    @Argument(help: "The user's name.")
    var name: String

    @Option(help: ArgumentHelp("How long it lasts from its last use on.", valueName: "seconds"))
    var ttl: Int?

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await endpoint.connect(output.logger("session")) { connection in
            var members = [JSONMember("name", .string(name))]
            if let ttl { members.append(JSONMember("ttl", .number(String(ttl)))) }
            let session = try await connection.ask("POST", "_session", .object(members)).json
            let text =
                "\(session["cookie_name"]?.string ?? "")=\(session["session_id"]?.string ?? ""), until \(session["expires"]?.string ?? "")"
            try AccountAction.show(session, output, text: text)
        }
    }
}
