import ArgumentParser

/// `dualgauge user set DATABASE NAME`.
struct UserSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a user.", usage: AccountTarget.usage("user set"),
        discussion: "What is not given stays as it is; a list that is given replaces the old one.")

    @OptionGroup var target: AccountTarget
    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var user: UserOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).set(target, try user.members() + access.members)
    }
}
