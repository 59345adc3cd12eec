import ArgumentParser

/// `dualgauge session …`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Log users in and out, on a running bridge or on a store.",
        discussion: """
            A session's ID is the value of the cookie that clients send. It is shown once: the store keeps a hash of it alone.

              dualgauge session create shop alice --ttl 3600
              dualgauge session revoke shop --user alice --admin http://bridge.example.com:4985
              dualgauge session revoke --user alice --store shop.dualgauge
            """,
        subcommands: [SessionCreate.self, SessionRevoke.self])
}
