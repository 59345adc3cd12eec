import ArgumentParser

/// `dualgauge parked …`.
struct ParkedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "List, retry or forget revisions that one side of a replication has refused.",
        discussion: """
            A revision that the other side, or this one, refuses is parked with the reason, and the replication goes on without it. It is \
            taken off the list when it gets through after all, or when something newer of its document does.

              dualgauge parked list shop
              dualgauge parked retry shop --replication legacy
              dualgauge parked forget shop --id order::17
            """,
        subcommands: [ParkedList.self, ParkedRetry.self, ParkedForget.self])
}
