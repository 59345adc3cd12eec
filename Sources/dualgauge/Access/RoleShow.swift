import ArgumentParser

/// `dualgauge role show DATABASE NAME`.
struct RoleShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a role with everything that it can see.", usage: AccountTarget.usage("role show"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).show(target)
    }
}
