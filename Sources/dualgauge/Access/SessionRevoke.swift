import ArgumentParser
import Documents

/// `dualgauge session revoke`.
struct SessionRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "revoke", abstract: "End a session by its ID, or all sessions of a user.")

    @Argument(help: "The session's ID; with --user there is none.")
    var id: String?

    @Option(help: ArgumentHelp("The user whose sessions all end.", valueName: "name"))
    var user: String?

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (id == nil) != (user == nil) || user != nil && endpoint.database == nil else {
            throw ValidationError("Say which: a session's ID, or --user NAME for all of one user.")
        }
    }

    func run() async throws {
        let path: String
        var endpoint = endpoint
        if let user {
            path = "_user/\(LocalAdminConnection.segment(user))/_session"
            // The only argument that is left is the database.
            endpoint = endpoint.naming(id)
        } else {
            path = "_session/\(LocalAdminConnection.segment(id ?? ""))"
        }
        try await endpoint.connect(output.logger("session")) { connection in
            try await connection.ask("DELETE", path)
            try AccountAction.show(.object([JSONMember("revoked", .bool(true))]), output, text: "Revoked.")
        }
    }
}
