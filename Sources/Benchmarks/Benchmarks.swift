import ArgumentParser

/// The benchmarks: `make bench`, `make bench-scale`, `make soak`.
///
/// Each is a command of its own, so that options of one do not hide those of another.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dualgauge-bench", abstract: "Measure what the bridge costs.",
        subcommands: [PathsCommand.self, ScaleCommand.self, LegacyPull.self, SoakCommand.self], defaultSubcommand: PathsCommand.self)
}
