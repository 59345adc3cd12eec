import ArgumentParser

/// `dualgauge role set NAME`.
struct RoleSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a role.",
        discussion: "What is not given stays as it is; a list that is given replaces the old one.")

    @Argument(help: "The role's name.")
    var name: String

    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, endpoint: endpoint, output: output).set(name, access.members)
    }
}
