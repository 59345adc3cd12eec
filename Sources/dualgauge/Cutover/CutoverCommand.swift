import ArgumentParser

/// `dualgauge cutover`.
struct CutoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cutover",
        abstract: "The stages of a database's cutover from its old server: where it stands, a step forward, a step back.",
        discussion: """
            A running bridge is asked on its admin port. docs/cutover-runbook.md goes through the whole way.

              dualgauge cutover status shop
              dualgauge cutover advance shop --to dual --dry-run
              dualgauge cutover reverse shop

            Exit codes: 0 done, 1 taken but a hook has failed afterwards, 2 usage or no such step, 3 the bridge cannot be reached, \
            4 refused by a gate or stopped by a hook.
            """,
        subcommands: [CutoverStatusCommand.self, CutoverAdvance.self, CutoverReverse.self])
}
