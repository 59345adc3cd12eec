import ArgumentParser
import BridgeConfiguration
import Gateway
import Server

/// `dualgauge config …`.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work with configuration files.", subcommands: [ConfigCheck.self, ConfigImport.self])
}

/// `dualgauge config check FILE`.
struct ConfigCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration file, or a file of routes, as `serve` would, without serving.",
        discussion: """
            Reports all mistakes at once, each with file, line and column: unknown keys, values out of range, routes that cannot be used, \
            JavaScript that does not compile, files that cannot be read. Warns of probable mistakes: routes that no document can match, roles that \
            are not defined, an admin port that other machines can reach.

            Exits with 2 if there are mistakes, and with 0 if there are warnings alone. With --json one object has all findings.

              dualgauge config check dualgauge.yaml
              dualgauge config check dualgauge.yaml --json | jq '.findings[].message'
            """)

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        if let plan = await ConfigurationFile.checkRoutesAlone(file) {
            try report(plan, databases: []) { routes in
                print(
                    "\(file) is valid: \(Self.count(routes.collections.count, "collection")), \(Self.count(routes.routes.count, "route")).")
            }
            return
        }
        let checked = await ConfigurationFile.checkWithStores(file)
        let databases = (checked.content?.databases ?? []).map(ConfigSummary.Database.init)
        try report(checked, databases: databases) { configuration in
            print("\(file) is valid.")
            print("  public \(configuration.listen.publicAddress), admin \(configuration.listen.adminAddress)")
            for database in databases {
                print(
                    "  database \(database.name): \(Self.count(database.collections, "collection")), \(Self.count(database.routes, "route")), store \(database.store)"
                )
            }
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private func report<Content>(
        _ checked: CheckedFile<Content>, databases: [ConfigSummary.Database], summary: (Content) -> Void
    ) throws {
        let isValid = checked.error == nil
        if output.json {
            try JSONOutput.print(
                ConfigSummary(valid: isValid, databases: databases, findings: checked.findings.map(ConfigSummary.Finding.init)))
        } else {
            for finding in checked.findings { StandardStream.errors.write(finding.line + "\n") }
            if isValid, let content = checked.content { summary(content) }
        }
        if let mistakes = checked.error?.findings.count {
            if !output.json {
                StandardStream.errors.write("dualgauge: \(file) has \(mistakes == 1 ? "a mistake" : "\(mistakes) mistakes")\n")
            }
            throw ExitCode(Failure.Code.usage.rawValue)
        }
    }
}

/// The output of `config check --json`.
struct ConfigSummary: Encodable {
    struct Database: Encodable {
        let name: String
        let store: String
        let collections: Int
        let routes: Int

        init(_ database: ServerConfiguration.ServedDatabase) {
            name = database.configuration.name
            store = "\(database.store)"
            collections = database.configuration.collections.count
            routes = database.configuration.routes.count
        }
    }

    struct Finding: Encodable {
        /// `error` or `warning`.
        let severity: String
        let code: String
        let file: String?
        let line: Int?
        let column: Int?

        /// The path of the key.
        let path: String
        let message: String

        init(_ finding: ConfigurationFinding) {
            severity = finding.severity.rawValue
            code = finding.code.rawValue
            file = finding.place.file
            line = finding.place.line
            column = finding.place.column
            path = finding.path
            message = finding.message
        }
    }

    /// Whether `serve` would accept the file.
    let valid: Bool
    let databases: [Database]
    let findings: [Finding]
}
