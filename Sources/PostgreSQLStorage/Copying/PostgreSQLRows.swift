import Storage

/// Rows that the server sends by `COPY`.
final class PostgreSQLRowStream: RowStream {
    private let table: CopiedTable
    private let connection: PostgreSQLConnection

    /// The bytes of the format's beginning that are still to come.
    private var headerLeft = 19
    private var isEnded = false

    init(_ sql: String, of table: CopiedTable, on connection: PostgreSQLConnection) throws {
        self.table = table
        self.connection = connection
        try connection.startCopyOut("COPY (\(sql)) TO STDOUT (FORMAT binary)")
    }

    deinit {
        // The rest of the rows would have to be read.
        if !isEnded { connection.giveUp() }
    }

    func next(_ limit: BatchLimit) throws -> StoredRows? {
        var rows = StoredRows(of: table)
        while !isEnded, !limit.isReached(by: rows) {
            let isThere = try connection.nextCopied { message in
                let header = min(headerLeft, message.count)
                headerLeft -= header
                let row = UnsafeRawBufferPointer(rebasing: message[header...])
                // The end of the format has two bytes; a row of at least one column has more.
                if row.count > 2 { try rows.append(row: row) }
            }
            if !isThere { isEnded = true }
        }
        return rows.isEmpty ? nil : rows
    }
}

/// The rows that the connection's transaction sees.
final class PostgreSQLRowSnapshot: JournaledSnapshot {
    private let connection: PostgreSQLConnection

    init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    static let statements = RowStatements(
        names: ["user": "user_name"],
        lookups: ["local_documents.id": "sha256", "sightings.id": "sha256"], text: { "'\\x\($0)'::bytea" }, bytes: { "'\\x\($0)'::bytea" })

    func values() throws -> StoreValues {
        let state = try StoreState.read(connection)
        return StoreValues(
            uuid: state.uuid, origin: state.origin.value, counter: state.counter.value, collections: state.collections,
            access: state.access,
            accessOfEveryone: state.accessOfEveryone, channelsApart: state.channelsApart.value, hasReaders: state.hasReaders)
    }

    func rows(of table: CopiedTable, after key: StoredKey?) throws -> any RowStream {
        try PostgreSQLRowStream(Self.statements.rows(of: table, after: key), of: table, on: connection)
    }

    func lastChange() throws -> Int64 {
        try connection.first("SELECT coalesce(max(number), 0) FROM outgoing_changes") { $0.integer(0) } ?? 0
    }

    func changedTables(in range: ChangeRange) throws -> [CopiedTable] {
        let numbers = try connection.all(
            "SELECT DISTINCT place FROM outgoing_changes WHERE number > $1 AND number <= $2", range.start, range.end
        ) { $0.integer(0) }
        return CopiedTable.all.filter { numbers.contains($0.number) }
    }

    func changes(of table: CopiedTable, in range: ChangeRange) throws -> any RowStream {
        try PostgreSQLRowStream(
            Self.statements.changes(of: table, in: range), of: table.changes(in: RowStatements.staged), on: connection)
    }

    func changedRows(of table: CopiedTable, in range: ChangeRange) throws -> any RowStream {
        try PostgreSQLRowStream(Self.statements.changedRows(of: table, in: range), of: table, on: connection)
    }
}
