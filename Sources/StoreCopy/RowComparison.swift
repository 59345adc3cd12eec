package import Storage

/// Compares the rows of a table in two stores, which both pass them in the order of keys.
///
/// Rows are compared by all their bytes. Keys are read where rows differ.
package struct RowComparison: Sendable {
    /// The found differences, at most ``mostKept``.
    package private(set) var differences: [RowDifference] = []

    /// The number of all differences.
    package private(set) var count = 0

    /// The compared rows of the first store, and their bytes.
    package private(set) var rows = 0
    package private(set) var bytes = 0

    package static let mostKept = 20

    /// The place up to which all rows of both stores are compared.
    package struct Place {
        package let key: StoredKey

        /// The compared rows of the first store, of all tables, and their bytes.
        package let rows: Int
        package let bytes: Int
    }

    package init() {}

    /// The rows of a stream from one on.
    private struct Cursor {
        let stream: any RowStream
        var batch: StoredRows?
        var row = 0

        init(_ stream: any RowStream, _ limit: BatchLimit) throws {
            self.stream = stream
            batch = try stream.next(limit)
        }

        mutating func advance(_ limit: BatchLimit) throws {
            row += 1
            guard let batch, row >= batch.count else { return }
            self.batch = try stream.next(limit)
            row = 0
        }
    }

    /// Compares two streams.
    ///
    /// - Parameter goesOn: Called behind each batch of the first store. `false` ends the comparison.
    /// - Returns: Whether both streams were read to their ends.
    package mutating func compare(
        _ first: any RowStream, _ second: any RowStream, limit: BatchLimit = BatchLimit(), goesOn: (Place) throws -> Bool = { _ in true }
    ) throws -> Bool {
        var (a, b) = (try Cursor(first, limit), try Cursor(second, limit))
        while true {
            switch (a.batch, b.batch) {
            case (nil, nil): return true
            case (let rows?, nil):
                note(rows, a.row, .missing)
                guard try advance(&a, rows, limit, goesOn) else { return false }
            case (nil, let rows?):
                note(rows, b.row, .surplus)
                try b.advance(limit)
            case (let rows?, let others?):
                if rows.bytes[rows.range(a.row)] == others.bytes[others.range(b.row)] {
                    try b.advance(limit)
                    guard try advance(&a, rows, limit, goesOn) else { return false }
                    continue
                }
                let (key, other) = (rows.key(of: a.row), others.key(of: b.row))
                if key == other { note(rows, a.row, .values(Self.columns(rows, a.row, others, b.row))) }
                if key < other { note(rows, a.row, .missing) }
                if other < key { note(others, b.row, .surplus) }
                if other <= key { try b.advance(limit) }
                if key <= other { guard try advance(&a, rows, limit, goesOn) else { return false } }
            }
        }
    }

    private mutating func advance(
        _ cursor: inout Cursor, _ batch: StoredRows, _ limit: BatchLimit, _ goesOn: (Place) throws -> Bool
    ) throws -> Bool {
        let row = cursor.row
        rows += 1
        bytes += batch.range(row).count
        let isLast = row + 1 == batch.count
        if isLast, try !goesOn(Place(key: batch.key(of: row), rows: rows, bytes: bytes)) { return false }
        try cursor.advance(limit)
        return true
    }

    private mutating func note(_ rows: StoredRows, _ row: Int, _ kind: RowDifference.Kind) {
        add([RowDifference(table: rows.table.name, key: rows.key(of: row).text(in: rows.table), kind: kind)])
    }

    /// Adds other differences.
    package mutating func add(_ found: [RowDifference]) {
        count += found.count
        differences += found.prefix(Self.mostKept - differences.count)
    }

    private static func columns(_ first: StoredRows, _ a: Int, _ second: StoredRows, _ b: Int) -> [String] {
        zip(first.table.columns, zip(first.fields(a), second.fields(b))).filter { _, fields in
            fields.0.map { first.bytes[$0] } != fields.1.map { second.bytes[$0] }
        }.map(\.0.name)
    }
}
