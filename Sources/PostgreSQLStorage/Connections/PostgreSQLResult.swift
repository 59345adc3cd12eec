import CPostgreSQL

/// The rows of a query, in libpq's memory.
final class PostgreSQLResult {
    private let handle: OpaquePointer

    /// - Parameter handle: A result of libpq, which this object frees.
    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }

    var rowCount: Int32 { PQntuples(handle) }

    /// The number of rows that the statement changed.
    var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The name of the statement that was executed, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(handle)) }

    /// Whether the server ends the connection with this error.
    var isFatal: Bool { ["FATAL", "PANIC"].contains(error(UInt8(ascii: "V"))) }

    /// A part of an error.
    func error(_ field: UInt8) -> String? { PQresultErrorField(handle, Int32(field)).map { String(cString: $0) } }

    func row(_ index: Int32) -> PostgreSQLRow { PostgreSQLRow(result: self, index: index) }

    func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(handle, row, column) != 0 }

    func withBytes<Value>(_ row: Int32, _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try body(UnsafeRawBufferPointer(start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column))))
    }
}

/// A row of a query. Columns are numbered from 0.
struct PostgreSQLRow {
    let result: PostgreSQLResult
    let index: Int32

    /// A number or a truth value; 0 for null.
    func integer(_ column: Int32) -> Int64 {
        withBytes(column) { bytes in
            switch bytes.count {
            case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case 1: Int64(bytes[0])
            default: 0
            }
        }
    }

    func isNull(_ column: Int32) -> Bool { result.isNull(index, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func bool(_ column: Int32) -> Bool { integer(column) != 0 }

    /// Text, empty for null.
    func text(_ column: Int32) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Bytes, empty for null.
    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

    func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    /// Passes text or bytes in libpq's memory, without a copy.
    func withBytes<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try result.withBytes(index, column, body)
    }
}
