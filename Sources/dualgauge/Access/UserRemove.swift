import ArgumentParser

/// `dualgauge user remove DATABASE NAME`.
struct UserRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a user, and end all his sessions.", usage: AccountTarget.usage("user remove"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).remove(target)
    }
}
