import ArgumentParser

/// `dualgauge role …`.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Add, change, show and remove roles, on a running bridge or on a store.",
        discussion: """
            A role has channels, and every user who has the role sees their documents.

              dualgauge role add shop staff --channel orders --collection-channel sales.invoices=open
              dualgauge user set shop alice --role staff
              dualgauge role show staff --store shop.dualgauge
            """,
        subcommands: [RoleAdd.self, RoleSet.self, RoleShow.self, RoleList.self, RoleRemove.self])
}

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

/// `dualgauge role set DATABASE NAME`.
struct RoleSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a role.", usage: AccountTarget.usage("role set"),
        discussion: "Properties that are not given stay unchanged; a list that is given replaces the old one.")

    @OptionGroup var target: AccountTarget
    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).set(target, access.members)
    }
}

/// `dualgauge role show DATABASE NAME`.
struct RoleShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a role with its channels.", usage: AccountTarget.usage("role show"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).show(target)
    }
}

/// `dualgauge role list`.
struct RoleList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all roles by name.")

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).list(endpoint)
    }
}

/// `dualgauge role remove DATABASE NAME`.
struct RoleRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a role. Its users no longer see its channels.",
        usage: AccountTarget.usage("role remove"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .role, output: output).remove(target)
    }
}
