import ArgumentParser
import Documents

/// `dualgauge session revoke DATABASE ID`.
struct SessionRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End a session by its ID, or all sessions of a user.",
        usage: AccountTarget.usage("session revoke", "<id>") + "\ndualgauge session revoke <database> --user <name> [<options>]")

    @OptionGroup var target: AccountTarget

    @Option(help: ArgumentHelp("The user whose sessions all end. The database stands alone then.", valueName: "name"))
    var user: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard user == nil ? !target.words.isEmpty : target.words.count <= 1 else {
            throw ValidationError("Say which: DATABASE and a session's ID, or DATABASE and --user NAME for all of one user.")
        }
    }

    func run() async throws {
        let logger = output.logger("session")
        guard let user else {
            return try await target.connect("session", logger) { try await revoke("_session/\(LocalAdminConnection.segment($1))", $0) }
        }
        try await target.reach.connect(to: target.words.first, logger) {
            try await revoke("_user/\(LocalAdminConnection.segment(user))/_session", $0)
        }
    }

    private func revoke(_ path: String, _ connection: any AdminConnection) async throws {
        try await connection.ask("DELETE", path)
        try AccountAction.show(.object([JSONMember("revoked", .bool(true))]), output, text: "Revoked.")
    }
}
