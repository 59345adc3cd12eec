import GRDBSQLite

/// The row that a statement stands on. Valid until the statement goes on.
package struct Row {
    let statement: OpaquePointer

    @inline(__always)
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    @inline(__always)
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    package func bool(_ column: Int32) -> Bool { integer(column) != 0 }

    /// Text, empty for null.
    @inline(__always)
    package func text(_ column: Int32) -> String {
        // The bytes as a blob, because `sqlite3_column_text` would copy them to end them with a zero. The database's encoding is UTF-8.
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    @inline(__always)
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Bytes, none for null.
    package func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

    package func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    /// Hands over text or a blob where SQLite has it, without a copy.
    @inline(__always)
    package func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let pointer = sqlite3_column_blob(statement, column)
        return try body(UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
