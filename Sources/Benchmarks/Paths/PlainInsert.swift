import Documents
import Foundation
import GRDB

/// The floor: inserts the same rows into one table with only the indexes that a feed and a lookup need.
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

/// The floor of a migration: inserts the same rows into plain tables with only the indexes that lookups need.
enum PlainImport {
    private static let schema = """
        CREATE TABLE rows (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, revision TEXT NOT NULL, body BLOB NOT NULL);
        CREATE TABLE ancestors (
            sequence INTEGER NOT NULL, revision TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (sequence, revision)) WITHOUT ROWID;
        CREATE TABLE attachments (key INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL);
        """

    /// - Parameter hasAncestors: Whether the rows include ancestors' bodies.
    static func measure(_ rows: MigrationRows, hasAncestors: Bool, file: String) throws -> Cost {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768")
        }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.write { try $0.execute(sql: schema) }
        var (sequence, processor, wall) = (0, 0.0, Duration.zero)
        // Rows are generated outside of the measured time.
        for batch in rows.batches(500) {
            let (before, start) = (clock(), ContinuousClock.now)
            try queue.write { database in
                for row in batch {
                    sequence += 1
                    try insert(row, sequence, hasAncestors: hasAncestors, into: database)
                }
            }
            wall += start.duration(to: .now)
            processor += Double(clock() - before) / Double(CLOCKS_PER_SEC)
        }
        try queue.close()
        return Cost(processor: processor, wall: wall, documents: rows.documents)
    }

    private static func insert(_ row: MigrationRows.Row, _ sequence: Int, hasAncestors: Bool, into database: GRDB.Database) throws {
        let statement = try database.cachedStatement(sql: "INSERT INTO rows (sequence, id, revision, body) VALUES (?, ?, ?, ?)")
        try statement.execute(
            arguments: [sequence, row.id, row.revisions[0].id.text, Data("{\(row.revisions[0].members)}".utf8)])
        for ancestor in row.revisions.dropFirst() where hasAncestors {
            try database.cachedStatement(sql: "INSERT INTO ancestors (sequence, revision, body) VALUES (?, ?, ?)")
                .execute(arguments: [sequence, ancestor.id.text, Data("{\(ancestor.members)}".utf8)])
        }
        if let attachment = row.attachment {
            try database.cachedStatement(sql: "INSERT INTO attachments (digest, bytes) VALUES (?, ?)")
                .execute(arguments: [Data(attachment.digest.bytes), Data(attachment.bytes)])
        }
    }
}

/// Cost of a number of documents.
struct Cost {
    /// Processor time, in seconds.
    let processor: Double
    let wall: Duration
    let documents: Int

    /// Processor time per document.
    var microseconds: Double { processor * 1e6 / Double(documents) }

    /// Documents per second of wall-clock time.
    var rate: Double {
        let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
        return Double(documents) / max(seconds, 1e-9)
    }
}
