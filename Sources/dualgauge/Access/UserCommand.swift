import ArgumentParser

/// `dualgauge user …`.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Add, change, show and remove users, on a running bridge or on a store.",
        discussion: """
            A user logs in by name and password, by a session, or by what the configuration allows besides. Channels say which \
            documents he sees: those of the default collection hold in every collection that legacy clients see.

              dualgauge user add shop alice --password-stdin --channel orders --role staff
              dualgauge user set shop alice --disable-login --admin http://bridge.example.com:4985
              dualgauge user show alice --json --store shop.dualgauge
            """,
        subcommands: [UserAdd.self, UserSet.self, UserShow.self, UserList.self, UserRemove.self])
}
