import ArgumentParser

/// `dualgauge role set DATABASE NAME`.
struct RoleSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a role.", usage: AccountTarget.usage("role set"),
        discussion: "What is not given stays as it is; a list that is given replaces the old one.")

    @OptionGroup var target: AccountTarget
    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).set(target, access.members)
    }
}
