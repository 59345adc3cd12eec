import ArgumentParser

/// `dualgauge user set NAME`.
struct UserSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a user.",
        discussion: "What is not given stays as it is; a list that is given replaces the old one.")

    @Argument(help: "The user's name.")
    var name: String

    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var user: UserOptions
    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, endpoint: endpoint, output: output).set(name, try user.members() + access.members)
    }
}
