import ArgumentParser
import Logging
import Server

/// Options that every command has.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object on standard output in place of tables.")
    var json = false

    @Flag(help: "No progress, and only errors in the log.")
    var quiet = false

    @Flag(help: "More in the log.")
    var verbose = false

    var logLevel: Logger.Level { verbose ? .debug : quiet ? .error : .info }

    /// What the options say of the log's level; `nil` if they say nothing.
    var givenLevel: Logger.Level? { verbose || quiet ? logLevel : nil }

    /// A log on standard error.
    static func log(_ settings: LogSettings) -> LogControl {
        LogControl(settings) { StandardStream.errors.write($0 + "\n") }
    }

    /// A log on standard error, which leaves standard output to results.
    func logger(_ label: String) -> Logger {
        Self.log(LogSettings(level: logLevel)).logger(label)
    }
}
