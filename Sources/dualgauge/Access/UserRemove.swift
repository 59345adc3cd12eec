import ArgumentParser

/// `dualgauge user remove NAME`.
struct UserRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a user, and end all his sessions.")

    @Argument(help: "The user's name.")
    var name: String

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, endpoint: endpoint, output: output).remove(name)
    }
}
