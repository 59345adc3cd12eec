import Gateway
import Logging
import Scripting
import Storage

/// The databases that the bridge serves, by name.
struct DatabaseRegistry: Sendable {
    private let databases: [String: Database]
    private let scripts: ScriptEngine

    static func open(_ served: [ServerConfiguration.ServedDatabase], logger: Logger) async throws -> DatabaseRegistry {
        let scripts = ScriptEngine()
        var databases: [String: Database] = [:]
        for database in served {
            let store = try SQLiteStore(path: database.store)
            var logger = logger
            logger[metadataKey: "database"] = "\(database.configuration.name)"
            databases[database.configuration.name] = try await Database(
                configuration: database.configuration, store: store, scripts: scripts, logger: logger)
        }
        return DatabaseRegistry(databases: databases, scripts: scripts)
    }

    subscript(name: String) -> Database? { databases[name] }

    var names: [String] { databases.keys.sorted() }

    func close() async throws {
        for database in databases.values {
            try await database.close()
        }
    }
}
