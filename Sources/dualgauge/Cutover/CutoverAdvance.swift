import ArgumentParser

/// `dualgauge cutover advance DB`.
struct CutoverAdvance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Take a database to the next stage, if the gates let it.")

    @OptionGroup var bridge: BridgeDatabase
    @OptionGroup var options: CutoverStepOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await options.take("advance", on: bridge, output)
    }
}
