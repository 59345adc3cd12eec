import ArgumentParser

/// `dualgauge cutover`.
struct CutoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cutover",
        abstract: "The stages of a database's cutover from its old server: the present stage, a step forward, a step back.",
        discussion: """
            The command uses the admin port of a running bridge. docs/cutover-runbook.md describes the whole cutover.

              dualgauge cutover status shop
              dualgauge cutover compare shop
              dualgauge cutover advance shop --to dual --dry-run
              dualgauge cutover reverse shop
              dualgauge cutover devices shop --percent 5

            Exit codes: 0 done, 1 taken but a hook has failed afterwards, 2 usage or no such step, 3 the bridge cannot be reached, \
            4 refused by a gate or stopped by a hook.
            """,
        subcommands: [CutoverStatusCommand.self, CutoverCompare.self, CutoverAdvance.self, CutoverReverse.self, CutoverDevices.self])
}

/// `dualgauge cutover status DB`.
struct CutoverStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show a database's stage, the measurements, and the steps that can be taken.")

    @OptionGroup var bridge: BridgeDatabase
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let json = try await bridge.connection().ask("GET", "_cutover").json
        try AccountAction.show(json, output, text: CutoverText(json).status)
    }
}

/// `dualgauge cutover advance DB`.
struct CutoverAdvance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Take a database to the next stage, if the gates permit it.")

    @OptionGroup var bridge: BridgeDatabase
    @OptionGroup var options: CutoverStepOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await options.perform("advance", on: bridge, output)
    }
}

/// `dualgauge cutover reverse DB`.
struct CutoverReverse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse", abstract: "Take a database back to the stage before.")

    @OptionGroup var bridge: BridgeDatabase
    @OptionGroup var options: CutoverStepOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await options.perform("reverse", on: bridge, output)
    }
}
