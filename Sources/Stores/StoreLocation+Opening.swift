import Coordination
import Foundation
import PostgreSQLStorage
import SQLiteStorage
package import Storage

extension StoreLocation {
    /// Opens the store, creates it if it is missing and the options permit that, and migrates its schema.
    ///
    /// - Throws: ``StorageError``; `invalidArgument` for an address without a schema in a PostgreSQL database that has not exactly one store.
    package func open(_ options: StoreOptions = StoreOptions()) async throws -> any StoreEngine {
        switch self {
        case .folder(let path):
            var sqlite = SQLiteStore.Options()
            (sqlite.createsIfMissing, sqlite.isReadOnly, sqlite.metrics) = (options.createsIfMissing, options.isReadOnly, options.metrics)
            return try SQLiteStore(path: path, options: sqlite)
        case .postgreSQL(let location):
            return try await onNewThread {
                let schema = try location.foundSchema()
                var postgreSQL = PostgreSQLStore.Options()
                postgreSQL.createsIfMissing = options.createsIfMissing
                postgreSQL.isReadOnly = options.isReadOnly
                postgreSQL.metrics = options.metrics
                return try PostgreSQLStore(url: location.url, schema: schema, options: postgreSQL)
            }
        }
    }

    /// Whether the store exists.
    ///
    /// - Throws: ``StorageError`` for a server that cannot be reached.
    package func exists() async throws -> Bool {
        switch self {
        case .folder(let path): return SQLiteStore.exists(at: path)
        case .postgreSQL(let location):
            return try await onNewThread {
                guard let schema = location.schema else { return try !PostgreSQLStore.schemas(url: location.url).isEmpty }
                return try PostgreSQLStore.exists(url: location.url, schema: schema)
            }
        }
    }

    /// Inspects the store without a migration and without new files; `nil` if there is none.
    ///
    /// - Throws: ``StorageError`` for a place that is not a store, or whose schema is newer; errors of the engine.
    package func inspect() async throws -> StoreInspection? {
        switch self {
        case .folder(let path): return try SQLiteStore.inspect(path)
        case .postgreSQL(let location):
            return try await onNewThread { try PostgreSQLStore.inspect(url: location.url, schema: try location.foundSchema()) }
        }
    }

    /// Deletes the store, which no process of this machine may have open.
    ///
    /// - Throws: ``StorageError``, or an error of the file system.
    package func remove() async throws {
        switch self {
        case .folder(let path): try FileManager.default.removeItem(atPath: path)
        case .postgreSQL(let location):
            try await onNewThread { try PostgreSQLStore.remove(url: location.url, schema: try location.foundSchema()) }
        }
    }
}

extension PostgreSQLLocation {
    /// The schema of the URL, or that of the only store in the database. Blocks.
    func foundSchema() throws -> String {
        if let schema { return schema }
        let schemas = try PostgreSQLStore.schemas(url: url)
        if schemas.count == 1 { return schemas[0] }
        let found =
            schemas.isEmpty
            ? "this PostgreSQL database has no store; name the schema of a new one"
            : "this PostgreSQL database has \(schemas.count) stores, in the schemas \(schemas.joined(separator: ", ")); name one"
        throw StorageError(.invalidArgument, "\(self): \(found) by adding `schema=NAME` to the address.")
    }
}

/// The versions of the stores' schemas that this program writes.
package enum StoreSchemas {
    /// The version of the schema in SQLite.
    package static var sqlite: Int { SQLiteStore.schemaVersion }

    /// The version of the schema in PostgreSQL.
    package static var postgreSQL: Int { PostgreSQLStore.schemaVersion }
}
