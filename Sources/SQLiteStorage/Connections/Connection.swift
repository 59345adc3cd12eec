package import GRDB
import GRDBSQLite
import Storage

/// Runs statements on one of GRDB's connections, for as long as GRDB lends it.
///
/// GRDB opens connections, schedules them and keeps prepared statements from one loan to the next. Binding and stepping go to
/// SQLite directly: a lookup costs half of what it would through GRDB's rows. Each statement stands where it is used, as a literal,
/// and is found again by the literal's address.
///
/// Other rooms read databases of other programs with it.
package final class Connection {
    private let database: Database
    private let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]

    /// Statements of queries that were begun again while they were open. They live as long as the loan.
    private var nested: [Statement] = []

    /// Steps of SQLite's virtual machine that this loan's statements have taken: some ten for each row that a statement looks at, whether or not
    /// the row is one of the answer's. Unlike time, steps are the same for the same work on the same data, so they tell what grows with what.
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

    /// How many rows all statements of this connection have changed so far.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// How many rows the last statement changed.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The key of the row that was inserted last.
    var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a statement that gives no rows.
    func run<each Value: SQLValue>(_ sql: StaticString, _ values: repeat each Value) throws {
        let statement = try prepare(sql)
        defer { release(statement) }
        bind(statement, repeat each values)
        while try step(statement) {}
    }

    /// The first row of a query, or nil.
    package func first<each Value: SQLValue, Result>(
        _ sql: StaticString, _ values: repeat each Value, row: (Row) throws -> Result
    ) throws -> Result? {
        let statement = try prepare(sql)
        defer { release(statement) }
        bind(statement, repeat each values)
        guard try step(statement) else { return nil }
        return try row(Row(statement: statement))
    }

    /// Goes through the rows of a query until there are no more or `row` returns false.
    package func each<each Value: SQLValue>(_ sql: StaticString, _ values: repeat each Value, row: (Row) throws -> Bool) throws {
        let statement = try prepare(sql)
        defer { release(statement) }
        bind(statement, repeat each values)
        while try step(statement) {
            guard try row(Row(statement: statement)) else { return }
        }
    }

    /// Goes through the rows of a query that is put together at run time, as one on a table of another program's naming is.
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

    /// Undoes the transaction, if there is one.
    func rollBack() {
        guard isInTransaction else { return }
        // A rollback that fails leaves a connection on which the next BEGIN fails, and says why.
        try? run("ROLLBACK")
    }

    private func prepare(_ sql: StaticString) throws -> OpaquePointer {
        if let statement = statements[sql.utf8Start]?.sqliteStatement, sqlite3_stmt_busy(statement) == 0 { return statement }
        do {
            let statement = try database.cachedStatement(sql: sql.description)
            statements[sql.utf8Start] = statement
            guard sqlite3_stmt_busy(statement.sqliteStatement) != 0 else { return statement.sqliteStatement }
            // The same query is open further out: this use needs a statement of its own.
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
        // SQLite counts in 32 bits without a sign and answers with one.
        steps &+= UInt64(UInt32(bitPattern: sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)))
        sqlite3_clear_bindings(statement)
    }

    private func failure() -> StorageError {
        StorageError(result: sqlite3_extended_errcode(handle), detail: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}

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
