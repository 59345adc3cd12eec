import Documents
import Foundation
import GRDB
import LegacyFiles

extension LegacyDatabaseFile {
    /// Writes rows as a database of Couchbase Lite 1.4: `NAME.cblite2` with the file `db.sqlite3` and the folder `attachments`.
    static func write(_ rows: MigrationRows, to folder: String) throws {
        let blobs = "\(folder)/attachments"
        try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: true)
        let file = try LegacyDatabaseFile("\(folder)/db.sqlite3", settings: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        try file.queue.write { try $0.execute(sql: "INSERT INTO info (key, value) VALUES ('privateUUID', 'benchmark')") }
        for batch in rows.batches(10_000) {
            try file.add(batch.map { (id: Data($0.id.utf8), branch: branch(of: $0)) })
            for attachment in batch.compactMap(\.attachment) {
                let name = attachment.digest.bytes.map { String(format: "%02X", $0) }.joined()
                try Data(attachment.bytes).write(to: URL(fileURLWithPath: "\(blobs)/\(name).blob"))
            }
        }
        try file.queue.close()
    }

    private static func branch(of row: MigrationRows.Row) -> [Revision] {
        row.revisions.reversed().map { revision in
            let members = [revision.members, row.attachment?.stub].compactMap { $0 }.joined(separator: ",")
            return Revision(revision.id.text, json: Data("{\(members)}".utf8))
        }
    }
}

/// Rows as a dump: one document per line, with its history and its attachment's bytes. The format cannot contain bodies of ancestors.
enum LineDump {
    static func write(_ rows: MigrationRows, to path: String) throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for batch in rows.batches(1_000) {
            try file.write(contentsOf: Data(batch.map(line).joined().utf8))
        }
        try file.close()
    }

    private static func line(_ row: MigrationRows.Row) -> String {
        let latest = row.revisions[0]
        let history = row.revisions.map { "\"\($0.id.text.split(separator: "-")[1])\"" }.joined(separator: ",")
        let members = [latest.members, row.attachment?.inline].compactMap { $0 }.joined(separator: ",")
        return "{\"_id\":\"\(row.id)\",\"_rev\":\"\(latest.id.text)\","
            + "\"_revisions\":{\"start\":\(latest.id.generation),\"ids\":[\(history)]},\(members)}\n"
    }
}
