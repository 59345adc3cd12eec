import Foundation
import GRDB

/// Texts on disk, in order: what is too much for memory. The file goes away with the table.
final class SortedTable: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-\(UUID().uuidString).sqlite").path
        queue = try DatabaseQueue(path: path, configuration: TemporaryDatabase.configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE texts (text BLOB PRIMARY KEY) WITHOUT ROWID") }
    }

    deinit {
        try? queue.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    func insert(_ texts: [String]) throws {
        guard !texts.isEmpty else { return }
        try queue.write { database in
            let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO texts (text) VALUES (?)")
            for text in texts { try statement.execute(arguments: [Data(text.utf8)]) }
        }
    }

    func contains(_ text: String) throws -> Bool {
        try queue.read { database in
            try Bool.fetchOne(
                try database.cachedStatement(sql: "SELECT 1 FROM texts WHERE text = ?"), arguments: [Data(text.utf8)]) ?? false
        }
    }
}
