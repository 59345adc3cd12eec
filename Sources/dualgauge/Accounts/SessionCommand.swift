import ArgumentParser
import Documents

/// `dualgauge session …`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Log users in and out, on a running bridge or on a store.",
        discussion: """
            A session's ID is the value of the cookie that clients send. It is shown once: the store keeps a hash of it alone.

              dualgauge session create shop alice --ttl 3600
              dualgauge session revoke shop --user alice --admin http://bridge.example.com:4985
              dualgauge session revoke --user alice --store shop.dualgauge
            """,
        subcommands: [SessionCreate.self, SessionRevoke.self])
}

/// `dualgauge session create DATABASE NAME`.
struct SessionCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Begin a session for a user, and print its ID.", usage: AccountTarget.usage("session create"))

    @OptionGroup var target: AccountTarget

    @Option(help: ArgumentHelp("The lifetime of the session from its last use.", valueName: "seconds"))
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

/// `dualgauge session revoke DATABASE ID`.
struct SessionRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End a session by its ID, or all sessions of a user.",
        usage: AccountTarget.usage("session revoke", "<id>") + "\ndualgauge session revoke <database> --user <name> [<options>]")

    @OptionGroup var target: AccountTarget

    @Option(help: ArgumentHelp("End all sessions of this user, in place of one session by its ID.", valueName: "name"))
    var user: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard user == nil ? !target.words.isEmpty : target.words.count <= 1 else {
            throw ValidationError("Name the sessions: DATABASE and a session's ID, or DATABASE and --user NAME for all sessions of a user.")
        }
    }

    func run() async throws {
        let logger = output.logger("session")
        guard let user else {
            return try await target.connect("session", logger) { try await revoke("_session/\(LocalAdminConnection.segment($1))", $0) }
        }
        try await target.location.connect(to: target.words.first, logger) {
            try await revoke("_user/\(LocalAdminConnection.segment(user))/_session", $0)
        }
    }

    private func revoke(_ path: String, _ connection: any AdminConnection) async throws {
        try await connection.ask("DELETE", path)
        try AccountAction.show(.object([JSONMember("revoked", .bool(true))]), output, text: "Revoked.")
    }
}
