import Documents
import Foundation

/// Rows as a dump: one document a line, with its history and its attachment's bytes. Bodies of ancestors have no place in it.
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
