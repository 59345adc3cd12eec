import Gateway
import Server

/// What `config check --json` prints.
struct ConfigSummary: Encodable {
    struct Database: Encodable {
        let name: String
        let store: String
        let collections: Int
        let routes: Int

        init(_ database: ServerConfiguration.ServedDatabase) {
            name = database.configuration.name
            store = database.store
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

        /// The way to the key.
        let path: String
        let message: String

        init(_ finding: ConfigurationFinding) {
            severity = finding.severity.rawValue
            code = finding.code.name
            file = finding.place.file
            line = finding.place.line
            column = finding.place.column
            path = finding.path
            message = finding.message
        }
    }

    /// Whether `serve` would take the file.
    let valid: Bool
    let databases: [Database]
    let findings: [Finding]
}
