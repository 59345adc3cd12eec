import Foundation
import TestSupport

@testable import PostgreSQLStorage
@testable import SQLiteStorage
@testable import Storage

/// The engines between which stores are copied.
enum CopyEngine: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    var description: String { rawValue }

    /// All pairs of a source and a target.
    static let pairs = allCases.flatMap { source in allCases.map { (source, $0) } }
}

/// A place for a store, removed with this object.
final class CopyPlaceForTests: Sendable {
    let engine: CopyEngine
    let url: String

    /// The folder's path, or the name of the schema.
    let name: String

    init(_ engine: CopyEngine) throws {
        self.engine = engine
        let unique = UUID().uuidString.prefix(8).lowercased()
        switch engine {
        case .sqlite:
            url = ""
            name = NSTemporaryDirectory() + "dualgauge-copy-\(unique)/store.dualgauge"
        case .postgreSQL:
            url = try TestPostgreSQL.url()
            name = "copy_\(unique)"
        }
    }

    deinit {
        switch engine {
        case .sqlite: try? FileManager.default.removeItem(atPath: (name as NSString).deletingLastPathComponent)
        case .postgreSQL: try? connect().execute(script: "DROP SCHEMA IF EXISTS \"\(name)\" CASCADE")
        }
    }

    /// A connection to the schema beside the store.
    func connect() throws -> PostgreSQLConnection { try PostgreSQLConnector.forCopies(url: url, schema: name).connect() }

    func open(isReadOnly: Bool = false) throws -> any Store {
        switch engine {
        case .sqlite:
            var options = SQLiteStore.Options()
            options.isReadOnly = isReadOnly
            return try SQLiteStore(path: name, options: options)
        case .postgreSQL:
            var options = PostgreSQLStore.Options()
            options.isReadOnly = isReadOnly
            return try PostgreSQLStore(url: url, schema: name, options: options)
        }
    }

    func source() throws -> any CopySource {
        switch engine {
        case .sqlite: try SQLiteCopySource(path: name)
        case .postgreSQL: try PostgreSQLCopySource(url: url, schema: name)
        }
    }

    func target() throws -> any CopyTarget {
        switch engine {
        case .sqlite: SQLiteCopyTarget(path: name)
        case .postgreSQL: try PostgreSQLCopyTarget(url: url, schema: name)
        }
    }

    /// Runs SQL in the store beside all else.
    func execute(_ script: String) throws {
        switch engine {
        case .sqlite: try RowDatabase(name).run(script)
        case .postgreSQL: try connect().execute(script: script)
        }
    }

    /// The columns that may be null, as `table.column` in the names of the schema.
    func nullableColumns() throws -> Set<String> {
        var names: Set<String> = []
        switch engine {
        case .sqlite:
            let database = try RowDatabase(name)
            for table in CopiedTable.all {
                let statement = try database.statement(
                    "SELECT name FROM pragma_table_info('\(table.name)') WHERE \"notnull\" = 0 AND pk = 0")
                while try statement.step() { names.insert("\(table.name).\(String(decoding: statement.bytes(0), as: UTF8.self))") }
            }
        case .postgreSQL:
            names = Set(
                try connect().all(
                    """
                    SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND NOT a.attnotnull AND a.attnum > 0
                    """
                ) { "\($0.text(0)).\($0.text(1))" })
        }
        return names
    }
}
