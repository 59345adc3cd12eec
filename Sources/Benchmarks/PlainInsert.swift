import Foundation
import GRDB

/// The floor: the same rows into one table with the indexes that a feed and a lookup need, and nothing else.
enum PlainInsert {
    static func measure(_ rows: BenchmarkRows, folder: String) throws -> Cost {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768")
        }
        let queue = try DatabaseQueue(path: "\(folder)/plain.sqlite", configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: "CREATE TABLE rows (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, revision TEXT NOT NULL, body BLOB NOT NULL)"
            )
        }
        let before = clock()
        let start = ContinuousClock.now
        var sequence = 0
        for batch in rows.batches(500) {
            try queue.write { database in
                let statement = try database.cachedStatement(sql: "INSERT INTO rows (sequence, id, revision, body) VALUES (?, ?, ?, ?)")
                for row in batch {
                    sequence += 1
                    try statement.execute(arguments: [sequence, row.id, "1-\(row.digest)", Data("{\(row.body)}".utf8)])
                }
            }
        }
        return Cost(
            processor: Double(clock() - before) / Double(CLOCKS_PER_SEC), wall: start.duration(to: .now), documents: rows.rows.count)
    }
}
