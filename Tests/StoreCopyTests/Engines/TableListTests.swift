import Storage
import Testing

@testable import PostgreSQLStorage
@testable import SQLiteStorage

@Suite("The tables that a copy takes along")
struct TableListTests {
    /// Tables that are the engine's own.
    private static let own: Set<String> = ["schema_versions", "writers", "store"]

    /// The columns of each table of a new store, as `table.column`, in the names of the list.
    private func columns(_ place: CopyPlaceForTests) throws -> Set<String> {
        switch place.engine {
        case .sqlite:
            let database = try RowDatabase(place.name)
            let statement = try database.statement(
                """
                SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                """)
            var names: Set<String> = []
            while try statement.step() { names.insert(String(decoding: statement.bytes(0), as: UTF8.self)) }
            return names
        case .postgreSQL:
            return Set(
                try place.connect().all(
                    """
                    SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relkind = 'r' AND a.attnum > 0
                        AND NOT a.attisdropped
                    """
                ) { ($0.text(0), $0.text(1)) }
                .filter { !Self.own.contains($0.0) }
                .map { "\($0.0).\($0.1 == "user_name" ? "user" : $0.1)" })
        }
    }

    @Test("Each table and column of the schema is copied, and no other", arguments: CopyEngine.allCases)
    func complete(engine: CopyEngine) async throws {
        let place = try CopyPlaceForTests(engine)
        try await place.open().close()
        let copied = Set(CopiedTable.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } })
        let stored = try columns(place)
        #expect(stored.subtracting(copied).isEmpty, "add them to CopiedTable.all, with a new number for a new table")
        #expect(copied.subtracting(stored).isEmpty)
    }

    @Test("The single values of PostgreSQL's table 'store' are copied, derived from rows, or the engine's own")
    func values() async throws {
        let place = try CopyPlaceForTests(.postgreSQL)
        try await place.open().close()
        let columns = try place.connect().all("SELECT attname FROM pg_attribute WHERE attrelid = 'store'::regclass AND attnum > 0") {
            $0.text(0)
        }
        let values = StoreValues(
            uuid: [], origin: 0, counter: 0, collections: 0, access: 0, accessOfEveryone: 0, channelsApart: 0, hasReaders: false)
        #expect(
            Set(columns)
                == Set(values.described.map(\.name)).union([
                    "key", "commit_number", "document_key", "channel_key", "moved", "timeline", "promoted_commit", "promoted_counter",
                    "is_synchronous",
                ]))
    }

    @Test("Each table has a number and a name of its own, and a key that the journal has columns for")
    func keys() {
        #expect(Set(CopiedTable.all.map(\.number)).count == CopiedTable.all.count)
        #expect(Set(CopiedTable.all.map(\.name)).count == CopiedTable.all.count)
        for table in CopiedTable.all {
            #expect(!table.key.isEmpty, "\(table.name)")
            #expect(!table.journalColumns.contains(""), "\(table.name): its key needs more columns of the journal")
            #expect(table.keyColumns.allSatisfy { $0.kind != .flag }, "\(table.name)")
        }
    }
}
