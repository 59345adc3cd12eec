import ArgumentParser

/// `dualgauge cutover reverse DB`.
struct CutoverReverse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse", abstract: "Take a database back to the stage before.")

    @OptionGroup var bridge: BridgeDatabase
    @OptionGroup var options: CutoverStepOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await options.take("reverse", on: bridge, output)
    }
}
