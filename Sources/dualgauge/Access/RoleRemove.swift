import ArgumentParser

/// `dualgauge role remove NAME`.
struct RoleRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a role. Users that have it see its channels no more.")

    @Argument(help: "The role's name.")
    var name: String

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, endpoint: endpoint, output: output).remove(name)
    }
}
