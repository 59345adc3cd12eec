import ArgumentParser

/// `dualgauge role list`.
struct RoleList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all roles by name.")

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).list(endpoint)
    }
}
