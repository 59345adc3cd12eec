import ArgumentParser

/// `dualgauge user show DATABASE NAME`.
struct UserShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a user with everything that it can see.", usage: AccountTarget.usage("user show"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).show(target)
    }
}
