/// Rows of statements that insert many rows at once, until they are sent.
///
/// A statement costs the server more than the row that it inserts.
struct QueuedRows {
    /// The rows of one statement, column by column: the elements of an array in PostgreSQL's binary format.
    struct Batch {
        /// The statement, which takes an array for each column.
        let sql: StaticString

        /// The types of the columns.
        let types: [UInt32]
        private var columns: [[UInt8]]
        private(set) var count = 0

        fileprivate init(_ sql: StaticString, _ types: [UInt32]) {
            self.sql = sql
            self.types = types
            columns = Array(repeating: [], count: types.count)
        }

        /// - Returns: The number of added bytes.
        fileprivate mutating func append(_ row: StatementValues) -> Int {
            count += 1
            for (index, span) in row.spans.enumerated() {
                withUnsafeBytes(of: Int32(clamping: span?.count ?? -1).bigEndian) { columns[index].append(contentsOf: $0) }
                if let span { columns[index].append(contentsOf: row.bytes[span]) }
            }
            return row.bytes.count + row.spans.count * 4
        }

        /// Binds an array for each column.
        func bind(to values: inout StatementValues) {
            values.removeAll()
            for (column, type) in zip(columns, types) { values.append(BinaryArray(of: type, count: count, elements: column).bytes) }
        }
    }

    private var batches: [Batch] = []
    private var bytes = 0

    /// The number of all rows so far.
    private(set) var total = 0

    /// Few enough that the server inserts the first rows of a request while the bridge prepares the next ones.
    private static let mostRows = 128
    private static let mostBytes = 512 << 10

    /// Whether the rows have to be sent before another one is added.
    var isFull: Bool { bytes > Self.mostBytes || batches.contains { $0.count >= Self.mostRows } }

    var isEmpty: Bool { batches.isEmpty }

    mutating func append(_ row: StatementValues, _ types: [UInt32], to sql: StaticString) {
        total += 1
        if let index = batches.firstIndex(where: { $0.sql.utf8Start == sql.utf8Start }) {
            bytes += batches[index].append(row)
        } else {
            var batch = Batch(sql, types)
            bytes += batch.append(row)
            batches.append(batch)
        }
    }

    /// Removes and returns the rows, in the order of their statements.
    mutating func take() -> [Batch] {
        defer { removeAll() }
        return batches
    }

    mutating func removeAll() { (batches, bytes) = ([], 0) }
}
