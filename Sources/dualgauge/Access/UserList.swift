import ArgumentParser

/// `dualgauge user list`.
struct UserList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all users by name.")

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).list(endpoint)
    }
}
