import ArgumentParser

/// `dualgauge session …`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Log users in and out, on a running bridge or on a store.",
        discussion: """
            A session's ID is the value of the cookie that clients send. It is shown once: the store keeps a hash of it alone.

              dualgauge session create alice --ttl 3600 --admin http://127.0.0.1:4985/shop
              dualgauge session revoke --user alice --store shop.dualgauge
            """,
        subcommands: [SessionCreate.self, SessionRevoke.self])
}
