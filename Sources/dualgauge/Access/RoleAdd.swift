import ArgumentParser

/// `dualgauge role add DATABASE NAME`.
struct RoleAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a role.", usage: AccountTarget.usage("role add"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).add(target, access.members)
    }
}
