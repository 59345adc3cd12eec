import Foundation
import GRDBSQLite
import Storage

/// A connection to a store's database that reads and writes rows of any table. One thread uses it.
///
/// It is apart from the store's own connections: its statements are built at run time, and its transactions stay open between calls.
final class RowDatabase {
    private let handle: OpaquePointer

    /// The store's folder, for messages.
    let path: String

    static let statements = RowStatements(
        filters: ["settings": "substr(name, 1, 6) <> 'store.'"], joining: "CROSS JOIN", text: { "CAST(x'\($0)' AS TEXT)" },
        bytes: { "x'\($0)'" })

    /// - Parameters:
    ///   - path: The store's folder.
    ///   - timeout: The timeout for another process's write, in milliseconds.
    init(_ path: String, createsIfMissing: Bool = false, timeout: Int32 = 10_000) throws {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (createsIfMissing ? SQLITE_OPEN_CREATE : 0)
        let result = sqlite3_open_v2(SQLiteStore.file(in: path), &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw StorageError(result: result, detail: "the database cannot be opened", path: path)
        }
        handle = opened
        sqlite3_busy_timeout(handle, timeout)
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA foreign_keys = OFF")
        try run("PRAGMA temp_store = MEMORY")
        try run("PRAGMA cache_size = -65536")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements without values.
    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    func statement(_ sql: String) throws -> RowStatement { try RowStatement(sql, on: handle, path) }

    /// The number in the first column of the first row; `nil` without a row.
    func integer(_ sql: String) throws -> Int64? {
        let statement = try statement(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The text in the first column of the first row; `nil` without a row.
    func text(_ sql: String) throws -> String? {
        let statement = try statement(sql)
        return try statement.step() ? String(decoding: statement.bytes(0), as: UTF8.self) : nil
    }

    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Runs `work` in a transaction.
    func transaction<Value>(_ begin: String = "BEGIN IMMEDIATE", _ work: () throws -> Value) throws -> Value {
        try run(begin)
        do {
            let value = try work()
            try run("COMMIT")
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    func rollBack() {
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        // If the rollback fails, the next BEGIN fails with the reason.
        try? run("ROLLBACK")
    }

    private func failure() -> StorageError {
        StorageError(result: sqlite3_extended_errcode(handle), detail: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}

/// A statement that was built at run time.
final class RowStatement {
    private let statement: OpaquePointer
    private let handle: OpaquePointer
    private let path: String

    init(_ sql: String, on handle: OpaquePointer, _ path: String) throws {
        self.handle = handle
        self.path = path
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
            throw StorageError(result: sqlite3_extended_errcode(handle), detail: String(cString: sqlite3_errmsg(handle)), path: path)
        }
        statement = prepared
    }

    deinit { sqlite3_finalize(statement) }

    /// - Returns: Whether there is a row.
    func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            throw StorageError(result: sqlite3_extended_errcode(handle), detail: String(cString: sqlite3_errmsg(handle)), path: path)
        }
    }

    func reset() {
        sqlite3_reset(statement)
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

    func withBytes<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        let pointer = sqlite3_column_blob(statement, column)
        return try body(UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func bind(_ value: some SQLValue, at index: Int32) { value.bind(to: statement, at: index) }

    /// The value of a column in the present row, for rows of a table.
    func append(_ column: Int32, of kind: CopiedTable.Kind, to rows: inout StoredRows) throws {
        let stored = sqlite3_column_type(statement, column)
        if stored == SQLITE_NULL { return rows.appendNull() }
        switch (kind, stored) {
        case (.integer, SQLITE_INTEGER): rows.append(integer: integer(column))
        case (.flag, SQLITE_INTEGER): rows.append(flag: integer(column) != 0)
        case (.text, SQLITE_TEXT), (.bytes, SQLITE_BLOB): withBytes(column) { rows.append(bytes: $0) }
        case (.integer, _), (.flag, _), (.text, _), (.bytes, _):
            let name = "\(rows.table.name).\(rows.table.columns[Int(column)].name)"
            throw StorageError(
                .corrupt, "\(path): the store is damaged: a value in \(name) has another type. Run `dualgauge check` on it.")
        }
    }

    /// Binds the values of a row to the parameters from 1 on. The buffer has to live until the statement was stepped.
    func bind(_ rows: StoredRows, row: Int, in buffer: UnsafeRawBufferPointer) {
        for (column, field) in rows.fields(row).enumerated() {
            let index = Int32(column + 1)
            guard let field else {
                sqlite3_bind_null(statement, index)
                continue
            }
            let value = UnsafeRawBufferPointer(rebasing: buffer[field])
            switch rows.table.columns[column].kind {
            case .integer, .flag: sqlite3_bind_int64(statement, index, rows.integer(field))
            case .text: bindText(value, at: index)
            case .bytes:
                // A blob without an address is null to SQLite.
                if value.isEmpty {
                    sqlite3_bind_zeroblob(statement, index, 0)
                } else {
                    sqlite3_bind_blob64(statement, index, value.baseAddress, UInt64(value.count), nil)
                }
            }
        }
    }

    private func bindText(_ value: UnsafeRawBufferPointer, at index: Int32) {
        guard !value.isEmpty, let address = value.baseAddress?.assumingMemoryBound(to: CChar.self) else {
            sqlite3_bind_text(statement, index, "", 0, copied)
            return
        }
        sqlite3_bind_text64(statement, index, address, UInt64(value.count), nil, UInt8(SQLITE_UTF8))
    }
}
