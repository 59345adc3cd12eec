import Storage

/// Rows of a query.
final class SQLiteRowStream: RowStream {
    private let table: CopiedTable
    private var statement: RowStatement?

    init(_ sql: String, of table: CopiedTable, on database: RowDatabase) throws {
        self.table = table
        statement = try database.statement(sql)
    }

    func next(_ limit: BatchLimit) throws -> StoredRows? {
        guard let statement else { return nil }
        var rows = StoredRows(of: table)
        while !limit.isReached(by: rows) {
            guard try statement.step() else {
                self.statement = nil
                break
            }
            rows.beginRow()
            for (index, column) in table.columns.enumerated() {
                try statement.append(Int32(index), of: column.kind, to: &rows)
            }
            rows.endRow()
        }
        return rows.isEmpty ? nil : rows
    }
}

/// The rows that the connection's transaction sees.
final class SQLiteRowSnapshot: JournaledSnapshot {
    private let database: RowDatabase

    init(_ database: RowDatabase) {
        self.database = database
    }

    func values() throws -> StoreValues {
        func integer(_ name: String) throws -> Int64 {
            guard let value = try database.integer("SELECT value FROM settings WHERE name = 'store.\(name)'") else {
                throw StorageError(.corrupt, "\(database.path): the store is damaged: store.\(name) is missing. Restore a backup.")
            }
            return value
        }
        let statement = try database.statement("SELECT value FROM settings WHERE name = 'store.uuid'")
        return StoreValues(
            uuid: try statement.step() ? statement.bytes(0) : [], origin: try integer("origin"), counter: try integer("counter"),
            collections: try integer("collections"), access: try integer("access"), accessOfEveryone: try integer("access.everyone"),
            channelsApart: try integer("channels.apart"),
            hasReaders: try database.integer("SELECT count(*) FROM settings WHERE name = '\(SQLiteSnapshot.readersSetting)'") == 1)
    }

    func rows(of table: CopiedTable, after key: StoredKey?) throws -> any RowStream {
        try SQLiteRowStream(RowDatabase.statements.rows(of: table, after: key), of: table, on: database)
    }

    func lastChange() throws -> Int64 { try database.integer(RowDatabase.statements.lastChange) ?? 0 }

    func changedTables(in range: ChangeRange) throws -> [CopiedTable] {
        let statement = try database.statement(RowDatabase.statements.changedTables(in: range))
        var numbers: Set<Int64> = []
        while try statement.step() { numbers.insert(statement.integer(0)) }
        return CopiedTable.all.filter { numbers.contains($0.number) }
    }

    func changes(of table: CopiedTable, in range: ChangeRange) throws -> any RowStream {
        try SQLiteRowStream(
            RowDatabase.statements.changes(of: table, in: range), of: table.changes(in: RowStatements.staged), on: database)
    }

    func changedRows(of table: CopiedTable, in range: ChangeRange) throws -> any RowStream {
        try SQLiteRowStream(RowDatabase.statements.changedRows(of: table, in: range), of: table, on: database)
    }
}
