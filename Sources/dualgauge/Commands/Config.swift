import ArgumentParser
import Server

/// `dualgauge config …`.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work with configuration files.", subcommands: [ConfigCheck.self, ConfigImport.self])
}
