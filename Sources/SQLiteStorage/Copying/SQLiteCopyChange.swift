import Storage

/// Changes copied rows within the connection's transaction.
final class SQLiteCopyChange: CopyTargetChange {
    private let database: RowDatabase

    init(_ database: RowDatabase) {
        self.database = database
    }

    static let stagingTable: String = {
        let columns = (["place"] + CopiedTable.journalIntegers + CopiedTable.journalBytes).joined(separator: ", ")
        return "DROP TABLE IF EXISTS temp.\(RowStatements.staged); CREATE TEMP TABLE \(RowStatements.staged) (\(columns))"
    }()

    func stage(_ keys: StoredRows) throws { try add(keys) }

    func removeStaged(of table: CopiedTable) throws {
        let key = table.keyColumns.map { RowDatabase.statements.name($0.name) }.joined(separator: ", ")
        try database.run(
            """
            DELETE FROM \(table.name) WHERE (\(key)) IN (
                SELECT \(table.journalColumns.joined(separator: ", ")) FROM \(RowStatements.staged) WHERE place = \(table.number))
            """)
    }

    func add(_ rows: StoredRows) throws {
        let table = rows.table
        let marks = table.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let statement = try database.statement(
            "INSERT INTO \(table.name) (\(RowDatabase.statements.columns(table))) VALUES (\(marks))")
        try rows.bytes.withUnsafeBytes { buffer in
            for row in 0..<rows.count {
                statement.bind(rows, row: row, in: buffer)
                _ = try statement.step()
                statement.reset()
            }
        }
    }

    func stagedRows(of table: CopiedTable) throws -> any RowStream {
        try SQLiteRowStream(RowDatabase.statements.stagedRows(of: table), of: table, on: database)
    }
}
