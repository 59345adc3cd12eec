import ArgumentParser

/// `dualgauge role show NAME`.
struct RoleShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a role with everything that it can see.")

    @Argument(help: "The role's name.")
    var name: String

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, endpoint: endpoint, output: output).show(name)
    }
}
