import ArgumentParser

/// `dualgauge role …`.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Add, change, show and remove roles, on a running bridge or on a store.",
        discussion: """
            A role has channels, and whoever has the role sees their documents.

              dualgauge role add shop staff --channel orders --collection-channel sales.invoices=open
              dualgauge user set shop alice --role staff
              dualgauge role show staff --store shop.dualgauge
            """,
        subcommands: [RoleAdd.self, RoleSet.self, RoleShow.self, RoleList.self, RoleRemove.self])
}
