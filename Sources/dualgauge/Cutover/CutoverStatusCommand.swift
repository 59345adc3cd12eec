import ArgumentParser

/// `dualgauge cutover status DB`.
struct CutoverStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show where a database stands, what was measured, and which steps can be taken.")

    @OptionGroup var bridge: BridgeDatabase
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let json = try await bridge.connection().ask("GET", "_cutover").json
        try AccountAction.show(json, output, text: CutoverText(json).status)
    }
}
