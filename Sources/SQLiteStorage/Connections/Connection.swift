package import GRDB
import GRDBSQLite
import Storage

/// Runs statements on a GRDB connection, for the duration of one access.
///
/// GRDB opens connections, schedules them and caches prepared statements between accesses. Binding and stepping call SQLite directly: a lookup
/// costs half of a lookup through GRDB's rows. Each statement is a literal at its place of use; the literal's address is the key of its cache
/// entry.
///
/// Other modules use it to read databases of other programs.
package final class Connection {
    private let database: Database
    private let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]

    /// Statements of queries that were started again while open. They are freed with this object.
    private var nested: [Statement] = []

    /// Steps of SQLite's virtual machine that this connection's statements have run: about ten for each row that a statement visits, whether or not
    /// the row is part of the result. Unlike time, steps are deterministic for the same work on the same data, so they show how work grows with
    /// data.
    private(set) var steps: UInt64 = 0

    /// The store's folder, for messages.
    let path: String

    package init(_ database: Database, path: String) throws {
        guard let handle = database.sqliteConnection else {
            throw StorageError(.closed, "\(path): the store was closed.")
        }
        self.database = database
        self.handle = handle
        self.path = path
    }

    /// The number of rows changed by all statements of this connection.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// The number of rows changed by the last statement.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The key of the last inserted row.
    var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a statement and ignores its rows.
    func run<each Value: SQLValue>(_ sql: StaticString, _ values: repeat each Value) throws {
        let statement = try prepare(sql)
        defer { release(statement) }
        bind(statement, repeat each values)
        while try step(statement) {}
    }

    /// The first row of a query; `nil` if there is none.
    package func first<each Value: SQLValue, Result>(
        _ sql: StaticString, _ values: repeat each Value, row: (Row) throws -> Result
    ) throws -> Result? {
        let statement = try prepare(sql)
        defer { release(statement) }
        bind(statement, repeat each values)
        guard try step(statement) else { return nil }
        return try row(Row(statement: statement))
    }

    /// Calls `row` for each row of a query until it returns `false`.
    package func each<each Value: SQLValue>(_ sql: StaticString, _ values: repeat each Value, row: (Row) throws -> Bool) throws {
        let statement = try prepare(sql)
        defer { release(statement) }
        bind(statement, repeat each values)
        while try step(statement) {
            guard try row(Row(statement: statement)) else { return }
        }
    }

    /// The same for a query built at run time, for example because another program defines the table's name.
    package func each<each Value: SQLValue>(query: String, _ values: repeat each Value, row: (Row) throws -> Bool) throws {
        let statement: Statement
        do {
            statement = try database.makeStatement(sql: query)
        } catch {
            throw StorageError(error, path: path)
        }
        bind(statement.sqliteStatement, repeat each values)
        while try step(statement.sqliteStatement) {
            guard try row(Row(statement: statement.sqliteStatement)) else { return }
        }
    }

    /// All rows of a query.
    package func all<each Value: SQLValue, Result>(
        _ sql: StaticString, _ values: repeat each Value, row: (Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try each(sql, repeat each values) { current in
            results.append(try row(current))
            return true
        }
        return results
    }

    /// Rolls back the transaction, if one is open.
    func rollBack() {
        guard isInTransaction else { return }
        // If the rollback fails, the next BEGIN on this connection fails with the reason.
        try? run("ROLLBACK")
    }

    private func prepare(_ sql: StaticString) throws -> OpaquePointer {
        if let statement = statements[sql.utf8Start]?.sqliteStatement, sqlite3_stmt_busy(statement) == 0 { return statement }
        do {
            let statement = try database.cachedStatement(sql: sql.description)
            statements[sql.utf8Start] = statement
            guard sqlite3_stmt_busy(statement.sqliteStatement) != 0 else { return statement.sqliteStatement }
            // An outer call has the same query open: this use needs its own statement.
            let own = try database.makeStatement(sql: sql.description)
            nested.append(own)
            return own.sqliteStatement
        } catch {
            throw StorageError(error, path: path)
        }
    }

    @inline(__always)
    private func bind<each Value: SQLValue>(_ statement: OpaquePointer, _ values: repeat each Value) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            value.bind(to: statement, at: index)
        }
    }

    @inline(__always)
    private func step(_ statement: OpaquePointer) throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure()
        }
    }

    @inline(__always)
    private func release(_ statement: OpaquePointer) {
        sqlite3_reset(statement)
        // SQLite counts in an unsigned 32-bit integer and returns a signed one.
        steps &+= UInt64(UInt32(bitPattern: sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)))
        sqlite3_clear_bindings(statement)
    }

    private func failure() -> StorageError {
        StorageError(result: sqlite3_extended_errcode(handle), detail: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}

/// The current row of a statement. Valid until the statement's next step.
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
        // Read as a blob, because `sqlite3_column_text` would copy the bytes to add a terminating zero. The database's encoding is UTF-8.
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    @inline(__always)
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Bytes, empty for null.
    package func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

    package func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    /// Passes text or a blob in SQLite's memory, without a copy.
    @inline(__always)
    package func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let pointer = sqlite3_column_blob(statement, column)
        return try body(UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
