import Access
import Gateway
import Logging
import Scripting
import Storage

/// The databases that the bridge serves, by name.
struct DatabaseRegistry: Sendable {
    private let databases: [String: Database]
    private let accesses: [String: DatabaseAccess]
    private let replications: [String: Replications]
    private let scripts: ScriptEngine

    static func open(_ served: [ServerConfiguration.ServedDatabase], logger: Logger) async throws -> DatabaseRegistry {
        let scripts = ScriptEngine()
        var databases: [String: Database] = [:]
        var accesses: [String: DatabaseAccess] = [:]
        var replications: [String: Replications] = [:]
        do {
            for database in served {
                let store = try SQLiteStore(path: database.store)
                var logger = logger
                let name = database.configuration.name
                logger[metadataKey: "database"] = "\(name)"
                databases[name] = try await Database(
                    configuration: database.configuration, store: store, scripts: scripts, logger: logger)
                let authenticators = database.authenticators.isEmpty ? nil : Authenticators(database.authenticators)
                let access = DatabaseAccess(
                    store: store, database: name, configuration: database.access, authenticators: authenticators, logger: logger)
                accesses[name] = access
                let guest = database.configuration.guest
                try await access.accounts.configureGuest(isEnabled: guest.isEnabled, channels: Set(guest.channels))
                if let opened = databases[name] {
                    replications[name] = Replications(ReplicationBuilder(database: opened, scripts: scripts, logger: logger))
                }
            }
            // A replication may be with another database of this bridge, so all of them are there first.
            for database in served { try await replications[database.configuration.name]?.open(database.replications) }
        } catch {
            for replications in replications.values { await replications.close() }
            for access in accesses.values { await access.close() }
            throw error
        }
        return DatabaseRegistry(databases: databases, accesses: accesses, replications: replications, scripts: scripts)
    }

    subscript(name: String) -> Database? { databases[name] }

    /// Who gets into a database, and how.
    func access(to name: String) -> DatabaseAccess? { accesses[name] }

    /// What a database replicates with others.
    func replications(of name: String) -> Replications? { replications[name] }

    var names: [String] { databases.keys.sorted() }

    func close() async throws {
        for replications in replications.values { await replications.close() }
        for access in accesses.values { await access.close() }
        for database in databases.values {
            try await database.close()
        }
    }
}
