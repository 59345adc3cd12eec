import ArgumentParser

/// `dualgauge user add NAME`.
struct UserAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a user.", discussion: "A user needs a password: give --password or --password-stdin.")

    @Argument(help: "The user's name.")
    var name: String

    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var user: UserOptions
    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, endpoint: endpoint, output: output).add(name, try user.members() + access.members)
    }
}
