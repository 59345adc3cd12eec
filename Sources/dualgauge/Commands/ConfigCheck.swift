import ArgumentParser
import Scripting
import Server

/// `dualgauge config check FILE`.
struct ConfigCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration file, or a file of routes, as `serve` would, without serving.",
        discussion:
            "Unknown keys, values out of range, routes that cannot be used, JavaScript that does not compile and certificates that cannot be read "
            + "are named with their place."
    )

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        if let plan = try ConfigurationFile.readRoutesAlone(file) {
            try await ConfigurationScripts.validate(collections: plan.collections, routes: plan.routes)
            guard !output.json else { return try JSONOutput.print(ConfigSummary(valid: true, databases: [])) }
            print("\(file) is valid: \(plan.collections.count) collections, \(plan.routes.count) routes.")
            return
        }
        let configuration = try ConfigurationFile.read(file)
        try await ConfigurationScripts.validate(configuration)
        try configuration.listen.tls?.validate()
        try configuration.listen.adminTLS?.validate(at: "listen.adminTLS")
        let databases = configuration.databases.map(ConfigSummary.Database.init)
        if output.json {
            try JSONOutput.print(ConfigSummary(valid: true, databases: databases))
            return
        }
        print("\(file) is valid.")
        print("  public \(configuration.listen.publicAddress), admin \(configuration.listen.adminAddress)")
        for database in databases {
            print("  database \(database.name): \(database.collections) collections, \(database.routes) routes, store \(database.store)")
        }
    }
}
