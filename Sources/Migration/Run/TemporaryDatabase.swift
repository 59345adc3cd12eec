import Foundation
import GRDB

/// Configuration of temporary databases, whose content may be lost.
enum TemporaryDatabase {
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "temporary"
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384")
        }
        return configuration
    }
}

/// A map from names to owners on disk, for more entries than fit in memory. The file is removed with the table.
final class SortedTable: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-\(UUID().uuidString).sqlite").path
        queue = try DatabaseQueue(path: path, configuration: TemporaryDatabase.configuration)
        try queue.write {
            try $0.execute(sql: "CREATE TABLE names (name BLOB PRIMARY KEY, owner BLOB NOT NULL) WITHOUT ROWID")
        }
    }

    deinit {
        try? queue.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Inserts names with their owners. A name that exists keeps its owner.
    func insert(_ owners: [String: String]) throws {
        guard !owners.isEmpty else { return }
        try queue.write { database in
            let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO names (name, owner) VALUES (?, ?)")
            for (name, owner) in owners { try statement.execute(arguments: [Data(name.utf8), Data(owner.utf8)]) }
        }
    }

    /// The owner of a name; `nil` if the name does not exist.
    func owner(of name: String) throws -> String? {
        try queue.read { database in
            let statement = try database.cachedStatement(sql: "SELECT owner FROM names WHERE name = ?")
            return try Data.fetchOne(statement, arguments: [Data(name.utf8)]).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
