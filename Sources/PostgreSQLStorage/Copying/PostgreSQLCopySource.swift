import Documents
import Foundation
package import Storage

/// A store in PostgreSQL from which a copy is made.
package final class PostgreSQLCopySource: CopySource {
    private let session: PostgreSQLSession
    private let schema: String

    package let place: String

    /// The longest wait for a lock that other statements queue behind, and the time for all attempts to get it.
    private static let lockPause: UInt32 = 200_000
    private static let lockAttempts = 100

    /// Opens the store in a schema. Does not migrate it.
    ///
    /// - Parameters:
    ///   - url: The server and the database.
    ///   - schema: The name of the schema.
    /// - Throws: ``StorageError``: `invalidArgument`, `notFound`, `notAStore`, `newerSchema`, `olderSchema`; errors of the connection.
    package init(url: String, schema: String) throws {
        let connector = try PostgreSQLConnector.forCopies(url: url, schema: schema)
        session = PostgreSQLSession(connector)
        place = connector.address.description
        self.schema = connector.address.quotedSchema
        try PostgreSQLSchema(connection: try session.connected()).checkReadable()
    }

    package func close() { session.close() }

    private func has(_ table: String) throws -> Bool {
        try session.connected().first(
            """
            SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relname = convert_from($1, 'UTF8') AND n.nspname = current_schema()
            """, table
        ) { _ in true } ?? false
    }

    package func outgoing() throws -> OutgoingCopy? {
        guard try has("outgoing_copy") else { return nil }
        return try session.connected().first("SELECT mark FROM outgoing_copy") {
            try CopyMarkText.read($0.text(0), at: place)
        }
    }

    package func moved() throws -> MovedMark? { try StoreState.read(session.connected()).movedMark(at: place) }

    package func begin(_ copy: OutgoingCopy) throws {
        try end()
        let columns = CopiedTable.journalIntegers.map { "\($0) bigint" } + CopiedTable.journalBytes.map { "\($0) bytea" }
        let mark = Array(try CopyMarkText.text(copy).utf8)
        // The lock of the writers comes first, as in their own transactions.
        let script =
            """
            BEGIN; SELECT 1 FROM store FOR UPDATE;
            CREATE TABLE outgoing_copy (key bigint PRIMARY KEY CHECK (key = 1), mark bytea NOT NULL);
            CREATE TABLE \(RowStatements.journal) (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, place bigint NOT NULL, \(columns.joined(separator: ", ")));
            INSERT INTO outgoing_copy (key, mark) VALUES (1, \(PostgreSQLRowSnapshot.literal(mark)));
            """ + CopiedTable.all.map(trigger).joined(separator: "\n") + "\nCOMMIT"
        try run(script)
    }

    private func run(_ script: String) throws {
        let connection = try session.connected()
        do {
            try connection.execute(script: script)
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// The trigger that notes each changed row of a table. A row whose key changes is noted under both keys. The function has its owner's rights, so
    /// other users' writes need none for the journal.
    private func trigger(of table: CopiedTable) -> String {
        let statements = PostgreSQLRowSnapshot.statements
        func note(_ row: String) -> String { statements.note(table, row, schema: schema + ".") }
        func key(_ row: String) -> String { "(\(table.keyColumns.map { "\(row).\(statements.name($0.name))" }.joined(separator: ", ")))" }
        let name = "\(schema).outgoing_note_\(table.name)"
        return """
            CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO pg_catalog AS $note$
            BEGIN
                IF TG_OP = 'DELETE' THEN
                    \(note("OLD"));
                ELSE
                    \(note("NEW"));
                    IF TG_OP = 'UPDATE' THEN
                        IF \(key("OLD")) IS DISTINCT FROM \(key("NEW")) THEN \(note("OLD")); END IF;
                    END IF;
                END IF;
                RETURN NULL;
            END $note$;
            CREATE TRIGGER outgoing_note AFTER INSERT OR UPDATE OR DELETE ON \(table.name) FOR EACH ROW EXECUTE FUNCTION \(name)();
            """
    }

    package func withSnapshot<Value>(_ work: (any JournaledSnapshot) throws -> Value) throws -> Value {
        try PostgreSQLRowSnapshot.read(try session.connected()) { try work($0) }
    }

    package func withWritersWaiting(_ work: (any JournaledSnapshot) throws -> MovedMark?) throws {
        let connection = try session.connected()
        do {
            try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            _ = try StoreState.lock(connection)
            if let mark = try work(PostgreSQLRowSnapshot(connection)) {
                try connection.run("UPDATE store SET moved = $1 WHERE key = 1", try CopyMarkText.text(mark))
            }
            try connection.run("COMMIT")
            try connection.receive()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    package func forgetChanges(upTo number: Int64) throws {
        // The last change stays, so that the journal shows its end.
        try session.connected().change(
            "DELETE FROM outgoing_changes WHERE number <= $1 AND number < (SELECT max(number) FROM outgoing_changes)", number)
    }

    package func end() throws {
        // Without the mark, the rest is no copy that could go on.
        if try has("outgoing_copy") { try session.connected().change("DELETE FROM outgoing_copy") }
        let functions = try session.connected().all(
            """
            SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname = current_schema() AND p.proname LIKE 'outgoing\\_note\\_%'
            """
        ) { $0.text(0) }
        for function in functions { try runBriefly("DROP FUNCTION \(schema).\"\(function)\"() CASCADE") }
        try runBriefly("DROP TABLE IF EXISTS outgoing_copy, \(RowStatements.journal)")
    }

    /// Runs a statement that locks a table for its readers, too. They queue behind it while it waits, so each attempt waits for a moment only.
    private func runBriefly(_ statement: String) throws {
        for attempt in 1... {
            do {
                return try run("BEGIN; SET LOCAL lock_timeout = 100; \(statement); COMMIT")
            } catch let error as StorageError where error.code == .busy && attempt < Self.lockAttempts {
                usleep(Self.lockPause)
            }
        }
    }

    package func release() throws {
        let counter = try StoreState.read(session.connected()).counter.value
        let fence = StoreFence(after: counter)
        try run(
            """
            BEGIN; SELECT 1 FROM store FOR UPDATE;
            INSERT INTO fences (lower, upper, raised) VALUES (\(fence.lower), \(fence.upper), \(fence.raised));
            UPDATE store SET moved = NULL, counter = \(fence.upper) WHERE key = 1;
            COMMIT
            """)
    }
}

extension PostgreSQLRowSnapshot {
    /// Bytes in SQL.
    static func literal(_ bytes: [UInt8]) -> String { "'\\x\(Hex.text(bytes))'::bytea" }

    /// Runs `work` on a snapshot of its own, which may be idle for as long as the other side of a copy takes.
    static func read<Value>(_ connection: PostgreSQLConnection, _ work: (PostgreSQLRowSnapshot) throws -> Value) throws -> Value {
        do {
            try connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try connection.begin("SET LOCAL idle_in_transaction_session_timeout = 0")
            try connection.receive()
            let value = try work(PostgreSQLRowSnapshot(connection))
            // A stream that was not read to its end has ended the connection.
            if !connection.isLost { connection.endReading() }
            return value
        } catch {
            connection.rollBack()
            throw error
        }
    }
}

extension PostgreSQLConnector {
    /// Connections whose statements take as long as a copy of a large table.
    static func forCopies(url: String, schema: String) throws -> PostgreSQLConnector {
        PostgreSQLConnector(
            address: try PostgreSQLAddress(url: url, schema: schema, isReadOnly: false), statementTimeout: .seconds(7 * 86_400),
            lockTimeout: .seconds(10), idleTimeout: .seconds(30))
    }
}
