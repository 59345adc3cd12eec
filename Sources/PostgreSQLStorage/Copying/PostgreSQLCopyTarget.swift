import Foundation
package import Storage

/// A schema of PostgreSQL in which a store is made by a copy.
///
/// An unfinished copy has no table `schema_versions`, so no program takes it for a store.
package final class PostgreSQLCopyTarget: CopyTarget {
    private let session: PostgreSQLSession
    private let schema: PostgreSQLAddress

    package let place: String

    /// The number of the last change of the record. A second process that goes on with the same copy finds another number.
    private var step: Int64 = 0

    /// - Parameters:
    ///   - url: The server and the database.
    ///   - schema: The name of the schema.
    /// - Throws: ``StorageError`` `invalidArgument`.
    package init(url: String, schema: String) throws {
        let connector = try PostgreSQLConnector.forCopies(url: url, schema: schema)
        session = PostgreSQLSession(connector)
        self.schema = connector.address
        place = connector.address.description
    }

    package func close() { session.close() }

    package func content() throws -> CopyTargetContent {
        let connection = try session.connected()
        try waitForBeginnings(connection)
        let tables = try PostgreSQLSchema(connection: connection).tables()
        guard !tables.isEmpty else { return .empty }
        if tables.contains("unfinished_copy") {
            let found = try connection.first("SELECT step, record FROM unfinished_copy") { ($0.integer(0), $0.text(1)) }
            guard let (number, text) = found else {
                throw StorageError(
                    .corrupt, "\(place): the unfinished copy has no record of its progress. Drop the schema and begin again.")
            }
            step = number
            return .unfinished(try CopyMarkText.read(text, at: place))
        }
        _ = try PostgreSQLSchema(connection: connection).version()
        let state = try StoreState.read(connection)
        return .store(uuid: state.uuid, moved: try state.movedMark(at: place))
    }

    /// Waits until no process creates a copy in the schema. The server completes the beginning of a process that was killed.
    private func waitForBeginnings(_ connection: PostgreSQLConnection) throws {
        try undoing(connection) {
            try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            _ = try connection.first("SELECT pg_advisory_xact_lock(hashtextextended(convert_from($1, 'UTF8'), 0))", schema.schema) { _ in }
            connection.rollBack()
        }
    }

    package func begin(_ record: CopyRecord) throws {
        let connection = try session.connected()
        let isThere = try connection.first("SELECT 1 FROM pg_namespace WHERE nspname = convert_from($1, 'UTF8')", schema.schema) { _ in true
        }
        let text = PostgreSQLRowSnapshot.literal(Array(try CopyMarkText.text(record).utf8))
        let name = PostgreSQLRowSnapshot.literal(Array(schema.schema.utf8))
        let script =
            "BEGIN;\nSELECT pg_advisory_xact_lock(hashtextextended(convert_from(\(name), 'UTF8'), 0));\n"
            + (isThere == true ? "" : "CREATE SCHEMA \(schema.quotedSchema);\n")
            + PostgreSQLSchema.all.map { String(decoding: $0.sql, as: UTF8.self) + ";\n" }.joined()
                + """
                DELETE FROM collections;
                CREATE TABLE unfinished_copy (key bigint PRIMARY KEY CHECK (key = 1), step bigint NOT NULL, record bytea NOT NULL);
                INSERT INTO unfinished_copy (key, step, record) VALUES (1, 0, \(text));
                COMMIT
                """
        try undoing(connection) { try connection.execute(script: script) }
        step = 0
    }

    private func undoing(_ connection: PostgreSQLConnection, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Runs `work` in a transaction that records the progress.
    private func changing(_ record: CopyRecord?, isDurable: Bool, _ work: (PostgreSQLConnection) throws -> Void) throws {
        let connection = try session.connected()
        try undoing(connection) {
            try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            try connection.begin("SET LOCAL idle_in_transaction_session_timeout = 0")
            // A batch that a crash of the server takes away is copied again, together with its record.
            if !isDurable { try connection.begin("SET LOCAL synchronous_commit = off") }
            try note(record, connection)
            try work(connection)
            try connection.run("COMMIT")
            try connection.receive()
        }
        step += 1
    }

    private func note(_ record: CopyRecord?, _ connection: PostgreSQLConnection) throws {
        let other = StorageError(.busy, "\(place): another process goes on with this copy. Stop it, or wait for its end.")
        if let record {
            try connection.runOnce(
                otherwise: other, "UPDATE unfinished_copy SET record = $1, step = step + 1 WHERE key = 1 AND step = $2",
                try CopyMarkText.text(record), step)
        } else {
            try connection.runOnce(otherwise: other, "DELETE FROM unfinished_copy WHERE key = 1 AND step = $1", step)
        }
        try connection.receive()
    }

    package func add(_ rows: StoredRows, _ record: CopyRecord) throws {
        try changing(record, isDurable: false) { try PostgreSQLCopyChange($0).add(rows) }
    }

    package func note(_ record: CopyRecord) throws {
        try changing(record, isDurable: false) { _ in }
    }

    package func change(_ record: CopyRecord, _ work: (any CopyTargetChange) throws -> Void) throws {
        try changing(record, isDurable: true) { connection in
            try connection.execute(script: PostgreSQLCopyChange.stagingTable)
            try work(PostgreSQLCopyChange(connection))
        }
    }

    package func withSnapshot<Value>(_ work: (any RowSnapshot) throws -> Value) throws -> Value {
        try PostgreSQLRowSnapshot.read(try session.connected()) { try work($0) }
    }

    package func complete(_ values: StoreValues, adding rows: [StoredRows]) throws {
        try changing(nil, isDurable: true) { connection in
            for rows in rows { try PostgreSQLCopyChange(connection).add(rows) }
            try connection.run(
                """
                INSERT INTO store (key, uuid, origin, counter, collections, access, access_everyone, channels_apart, has_readers, document_key,
                    channel_key)
                SELECT 1, $1, $2, $3, $4, $5, $6, $7, $8, (SELECT coalesce(max(key), 0) FROM documents),
                    (SELECT coalesce(max(key), 0) FROM channels)
                """, values.uuid, values.origin, values.counter, values.collections, values.access, values.accessOfEveryone,
                values.channelsApart, values.hasReaders)
            // Keys that the server assigns go on behind the copied ones.
            let tables = try connection.all(
                """
                SELECT c.relname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND a.attidentity <> '' AND a.attname = 'key' AND c.relkind = 'r'
                """
            ) { $0.text(0) }
            let keys = tables.map {
                "SELECT setval(pg_get_serial_sequence('\(schema.quotedSchema).\"\($0)\"', 'key'), "
                    + "(SELECT coalesce(max(key), 0) + 1 FROM \"\($0)\"), false);"
            }
            let versions = PostgreSQLSchema.all.map { "INSERT INTO schema_versions (number) VALUES (\($0.number));" }
            try connection.execute(
                script: keys.joined(separator: "\n") + """
                    DROP TABLE unfinished_copy;
                    CREATE TABLE schema_versions (number bigint PRIMARY KEY);
                    """ + versions.joined(separator: "\n"))
        }
    }

    package func discardMovedStore() throws {
        let connection = try session.connected()
        let tables = try PostgreSQLSchema(connection: connection).ownTables()
        let drops = tables.map { "DROP TABLE \"\($0)\" CASCADE;" }.joined(separator: "\n")
        try undoing(connection) { try connection.execute(script: "BEGIN;\n\(drops)\nCOMMIT") }
    }
}
