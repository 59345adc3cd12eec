import Foundation
import TestSupport

@testable import PostgreSQLStorage
@testable import SQLiteStorage
@testable import Storage

/// Rows with random values for each table that a copy takes along.
///
/// They need not make sense together, so they have values that no store has: empty texts, U+0000, bytes that are no UTF-8, the extremes of integers.
struct RandomRows {
    private var generator: SeededGenerator
    private let nullable: Set<String>

    init(seed: UInt64, nullable: Set<String>) {
        generator = SeededGenerator(seed: seed)
        // SQLite permits it, but no setting is null.
        self.nullable = nullable.subtracting(["settings.value"])
    }

    /// - Parameter start: The first value of the first key column.
    mutating func rows(of table: CopiedTable, count: Int, from start: Int = 1) -> StoredRows {
        var rows = StoredRows(of: table)
        for number in start..<start + count {
            rows.beginRow()
            for (index, column) in table.columns.enumerated() {
                switch table.key.firstIndex(of: index) {
                case nil: append(table, column, number, &rows)
                case 0: appendKey(number, table, column, &rows)
                default: appendKey(number % 3, table, column, &rows)
                }
            }
            rows.endRow()
        }
        return rows
    }

    private mutating func appendKey(_ number: Int, _ table: CopiedTable, _ column: CopiedTable.Column, _ rows: inout StoredRows) {
        switch column.kind {
        case .integer, .flag: rows.append(integer: table.name == "upstream" ? 1 : Int64(number))
        case .text, .bytes: append(Array("k\(number)\u{0}é".utf8), &rows)
        }
    }

    private mutating func append(_ table: CopiedTable, _ column: CopiedTable.Column, _ number: Int, _ rows: inout StoredRows) {
        // The columns of unique indexes have different values.
        let unique: Set<String> = ["collection_sequence", "sequence", "digest", "name", "unified_id", "local_id", "id", "revision"]
        if nullable.contains("\(table.name).\(column.name)"), Int.random(in: 0..<3, using: &generator) == 0 { return rows.appendNull() }
        switch column.kind {
        case .integer where unique.contains(column.name): rows.append(integer: Int64(number) * 10)
        case .integer: rows.append(integer: [0, -1, .max, .min, Int64(number)].randomElement(using: &generator) ?? 0)
        case .flag: rows.append(flag: Bool.random(using: &generator))
        case .text where unique.contains(column.name): append(Array("\(number)-\u{0}ü".utf8), &rows)
        case .text: append([[], Array("a\u{0}b".utf8), Array("é€😀".utf8)].randomElement(using: &generator) ?? [], &rows)
        case .bytes where unique.contains(column.name): append(Array("\(number)".utf8), &rows)
        case .bytes:
            append((0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }, &rows)
        }
    }

    private func append(_ bytes: [UInt8], _ rows: inout StoredRows) { bytes.withUnsafeBytes { rows.append(bytes: $0) } }
}

extension CopyPlaceForTests {
    /// Creates a store with rows in every table, and returns their number.
    @discardableResult
    func fill(seed: UInt64 = 1, count: Int = 7) async throws -> Int {
        try await open().close()
        try execute("DELETE FROM collections")
        var random = RandomRows(seed: seed, nullable: try nullableColumns())
        var total = 0
        for table in CopiedTable.all {
            let rows = random.rows(of: table, count: table.name == "upstream" ? 1 : count)
            try add(rows)
            total += rows.count
        }
        return total
    }

    /// Adds rows to the store.
    func add(_ rows: StoredRows) throws {
        switch engine {
        case .sqlite:
            let database = try RowDatabase(name)
            try database.transaction { try SQLiteCopyChange(database).add(rows) }
        case .postgreSQL: try PostgreSQLCopyChange(connect()).add(rows)
        }
    }
}
