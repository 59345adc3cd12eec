import ArgumentParser

/// `dualgauge role add NAME`.
struct RoleAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a role.")

    @Argument(help: "The role's name.")
    var name: String

    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, endpoint: endpoint, output: output).add(name, access.members)
    }
}
