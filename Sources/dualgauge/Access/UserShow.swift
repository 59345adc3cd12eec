import ArgumentParser

/// `dualgauge user show NAME`.
struct UserShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a user with everything that it can see.")

    @Argument(help: "The user's name.")
    var name: String

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, endpoint: endpoint, output: output).show(name)
    }
}
