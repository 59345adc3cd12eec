import ArgumentParser

/// `dualgauge user add DATABASE NAME`.
struct UserAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a user.", usage: AccountTarget.usage("user add"),
        discussion: "A user needs a password: give --password or --password-stdin.")

    @OptionGroup var target: AccountTarget
    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var user: UserOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).add(target, try user.members() + access.members)
    }
}
