import Foundation
import Testing

@testable import PostgreSQLStorage
@testable import SQLiteStorage
@testable import Storage

@Suite("Rows of both engines")
struct RowContractTests {
    /// All rows behind a key.
    private func rows(_ snapshot: any RowSnapshot, _ table: CopiedTable, after key: StoredKey? = nil, batch: Int = 2) throws -> [StoredRows]
    {
        var limit = BatchLimit()
        limit.rows = batch
        let stream = try snapshot.rows(of: table, after: key)
        var batches: [StoredRows] = []
        while let rows = try stream.next(limit) { batches.append(rows) }
        return batches
    }

    @Test("Rows come in the order of their keys, in batches of the limit, and go on behind each key", arguments: CopyEngine.allCases)
    func order(engine: CopyEngine) async throws {
        let place = try CopyPlaceForTests(engine)
        try await place.fill(count: 11)
        let source = try place.source()
        for table in CopiedTable.all {
            let keys = try source.withSnapshot { snapshot in
                try rows(snapshot, table).flatMap { batch in
                    #expect(batch.count <= 2)
                    return (0..<batch.count).map { batch.key(of: $0) }
                }
            }
            #expect(keys.count == (table.name == "upstream" ? 1 : 11), "\(table.name)")
            #expect(keys == keys.sorted(), "\(table.name)")
            for (index, key) in keys.enumerated() {
                let rest = try source.withSnapshot { try rows($0, table, after: key, batch: 100).reduce(0) { $0 + $1.count } }
                #expect(rest == keys.count - index - 1, "\(table.name), \(key.text(in: table))")
            }
        }
    }

    @Test("Both engines give the same bytes for the same rows")
    func sameBytes() async throws {
        let places = try CopyEngine.allCases.map { try CopyPlaceForTests($0) }
        for place in places { try await place.fill(seed: 3) }
        // Columns that may be null are not the same in both, so the rows of one engine are written into the other.
        let first = try places[0].source()
        try places[1].execute(CopiedTable.all.map { "DELETE FROM \($0.name)" }.joined(separator: ";"))
        for table in CopiedTable.all {
            let batches = try first.withSnapshot { try rows($0, table, batch: 100) }
            for batch in batches { try places[1].add(batch) }
            let second = try places[1].source().withSnapshot { try rows($0, table, batch: 100) }
            #expect(batches.map(\.bytes) == second.map(\.bytes), "\(table.name)")
        }
    }

    @Test("A batch ends at its number of bytes, too", arguments: CopyEngine.allCases)
    func bytes(engine: CopyEngine) async throws {
        let place = try CopyPlaceForTests(engine)
        try await place.open().close()
        let table = try #require(CopiedTable.named("attachment_parts"))
        for key in 0..<5 {
            var rows = StoredRows(of: table)
            rows.beginRow()
            rows.append(integer: Int64(key))
            [UInt8](repeating: UInt8(key), count: 100_000).withUnsafeBytes { rows.append(bytes: $0) }
            rows.endRow()
            try place.add(rows)
        }
        var limit = BatchLimit()
        limit.bytes = 150_000
        let counts = try place.source().withSnapshot { snapshot in
            let stream = try snapshot.rows(of: table, after: nil)
            var counts: [Int] = []
            while let rows = try stream.next(limit) { counts.append(rows.count) }
            return counts
        }
        #expect(counts == [2, 2, 1])
    }

    @Test("The journal has the key of each row that is added, changed, renamed or removed, and no other", arguments: CopyEngine.allCases)
    func journal(engine: CopyEngine) async throws {
        let place = try CopyPlaceForTests(engine)
        try await place.fill()
        let source = try place.source()
        try source.begin(OutgoingCopy(copy: "1", target: "x"))
        #expect(try source.outgoing() == OutgoingCopy(copy: "1", target: "x"))
        for table in CopiedTable.all {
            let start = try source.withSnapshot { try $0.lastChange() }
            let name = engine == .sqlite ? RowDatabase.statements : PostgreSQLRowSnapshot.statements
            let column = name.name(table.keyColumns[0].name)
            let first = try source.withSnapshot { try rows($0, table, batch: 1)[0].key(of: 0) }
            // The key is changed to itself, and the row is removed.
            try place.execute("UPDATE \(table.name) SET \(column) = \(column); DELETE FROM \(table.name)")
            let (keys, present) = try source.withSnapshot { snapshot in
                let range = ChangeRange(after: start, upTo: try snapshot.lastChange())
                #expect(try snapshot.changedTables(in: range) == [table])
                let stream = try snapshot.changes(of: table, in: range)
                var keys: Set<StoredKey> = []
                while let batch = try stream.next(BatchLimit()) {
                    for row in 0..<batch.count { keys.insert(StoredKey(Array(batch.key(of: row).values.dropFirst()))) }
                }
                return (keys, try snapshot.changedRows(of: table, in: range).next(BatchLimit())?.count)
            }
            #expect(keys.count == (table.name == "upstream" ? 1 : 7), "\(table.name)")
            #expect(keys.contains(first), "\(table.name)")
            #expect(present == nil)
        }
        try source.end()
        #expect(try source.outgoing() == nil)
        try source.end()
    }
}
