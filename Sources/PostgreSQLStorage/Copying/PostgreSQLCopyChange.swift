import Storage

/// Changes copied rows within the connection's transaction.
final class PostgreSQLCopyChange: CopyTargetChange {
    private let connection: PostgreSQLConnection

    init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    static let stagingTable: String = {
        let columns = CopiedTable.journalIntegers.map { "\($0) bigint" } + CopiedTable.journalBytes.map { "\($0) bytea" }
        return "CREATE TEMP TABLE \(RowStatements.staged) (place bigint NOT NULL, \(columns.joined(separator: ", "))) ON COMMIT DROP"
    }()

    func stage(_ keys: StoredRows) throws { try add(keys) }

    func removeStaged(of table: CopiedTable) throws {
        let join = PostgreSQLRowSnapshot.statements.join(table)
        try connection.execute(
            script: "DELETE FROM \(table.name) t USING \(RowStatements.staged) c WHERE c.place = \(table.number) AND \(join)")
    }

    func add(_ rows: StoredRows) throws {
        let columns = PostgreSQLRowSnapshot.statements.columns(rows.table)
        try connection.copyIn("COPY \(rows.table.name) (\(columns)) FROM STDIN (FORMAT binary)", rows.bytes)
    }

    func stagedRows(of table: CopiedTable) throws -> any RowStream {
        try PostgreSQLRowStream(PostgreSQLRowSnapshot.statements.stagedRows(of: table), of: table, on: connection)
    }
}
