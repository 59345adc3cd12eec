import ArgumentParser

/// `dualgauge role remove DATABASE NAME`.
struct RoleRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a role. Users that have it see its channels no more.",
        usage: AccountTarget.usage("role remove"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).remove(target)
    }
}
