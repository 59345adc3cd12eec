import Coordination
import Documents
import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

@Suite("The schema and the address of a PostgreSQL store")
struct PostgreSQLSchemaTests {
    @Test("A store of a newer schema is refused by both versions, and stays as it is")
    func newer() async throws {
        let schema = try TemporarySchema()
        try await schema.open().close()
        let newer = PostgreSQLStore.schemaVersion + 1
        try schema.change("INSERT INTO schema_versions (number) VALUES (\(newer))")
        for isReadOnly in [false, true] {
            let error = #expect(throws: StorageError(.newerSchema, "")) { try schema.open { $0.isReadOnly = isReadOnly } }
            #expect(error?.message.contains("version \(newer)") == true)
            #expect(error?.message.contains("up to \(newer - 1)") == true)
        }
    }

    @Test("A schema of another program is refused")
    func foreign() throws {
        let schema = try TemporarySchema()
        try schema.change("CREATE SCHEMA \"\(schema.name)\"; CREATE TABLE \"\(schema.name)\".theirs (x bigint)")
        #expect(throws: StorageError(.notAStore, "")) { try schema.open() }
    }

    @Test("Processes that create the same store at once get one store")
    func together() async throws {
        let schema = try TemporarySchema()
        let uuids = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let store = try await onNewThread { try schema.open() }
                    let uuid = try await store.read { try $0.uuid }
                    try await store.close()
                    return uuid
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(uuids.count == 1)
    }

    @Test("Missing steps are applied in order, each once; a step that fails leaves nothing")
    func steps() async throws {
        let schema = try TemporarySchema()
        try await schema.open().close()
        let connection = try schema.connect()
        let newest = PostgreSQLStore.schemaVersion
        func step(_ number: Int, _ sql: String) -> PostgreSQLSchema.Step { .init(number: newest + number, sql: Array(sql.utf8)) }
        let good = [step(1, "CREATE TABLE later (name bytea)"), step(2, "ALTER TABLE later ADD COLUMN size bigint")]
        let bad = [good[0], step(2, "ALTER TABLE nowhere ADD COLUMN size bigint")]
        #expect(throws: StorageError.self) {
            try PostgreSQLSchema(connection: connection, steps: PostgreSQLSchema.all + bad).migrate(createsIfMissing: false)
        }
        #expect(try PostgreSQLSchema(connection: connection).version() == newest)
        for _ in 0..<2 {
            try PostgreSQLSchema(connection: connection, steps: PostgreSQLSchema.all + good).migrate(createsIfMissing: false)
        }
        #expect(try PostgreSQLSchema(connection: connection, steps: PostgreSQLSchema.all + good).version() == newest + 2)
        let error = #expect(throws: StorageError(.olderSchema, "")) {
            try PostgreSQLSchema(connection: connection, steps: PostgreSQLSchema.all + good + [step(3, "")]).checkReadable()
        }
        #expect(error?.message.contains("reads version \(newest + 3)") == true)
    }

    @Test("A store that is only read refuses writes, and a missing one is not created")
    func reading() async throws {
        let schema = try TemporarySchema()
        #expect(throws: StorageError(.notFound, "")) { try schema.open { $0.isReadOnly = true } }
        let writer = try schema.open()
        try await writer.write { _ = try $0.add("a") }
        let reader = try schema.open { $0.isReadOnly = true }
        #expect(try await reader.read { try $0.feedIDs(.unified) } == ["a"])
        await expectError(.readOnly) { try await reader.write { _ = try $0.add("b") } }
        try await reader.close()
        try await writer.close()
    }

    @Test("A schema's name may have any characters; bad names are refused")
    func names() async throws {
        let url = try TestPostgreSQL.url()
        for name in ["", "pg_mine", "a\0b", String(repeating: "x", count: 64)] {
            #expect(throws: StorageError(.invalidArgument, "")) { try PostgreSQLStore(url: url, schema: name) }
        }
        let name = "Größe \"\(UUID().uuidString.prefix(8))\"; --"
        let store = try PostgreSQLStore(url: url, schema: name)
        try await store.write { _ = try $0.add("a") }
        try await store.close()
        try TemporarySchema().change("DROP SCHEMA \"\(name.replacingOccurrences(of: "\"", with: "\"\""))\" CASCADE")
    }

    @Test(
        "An error says where, and never has the password",
        arguments: [
            "postgres://anna:secret42@127.0.0.1:1/db", "postgres://anna:secret42@127.0.0.1:1/db?nonsense=secret42",
            "host=127.0.0.1 password",
            "postgres://anna@127.0.0.1:1/db?password=secret42&connect_timeout=2", "postgres://anna:secret42@[::1/db",
            "host=127.0.0.1 port=1 password=secret42",
        ])
    func password(url: String) {
        let error = #expect(throws: StorageError.self) { try PostgreSQLStore(url: url, schema: "shop") }
        #expect(error?.description.contains("secret42") == false)
        if error?.code == .inputOutput { #expect(error?.message.contains("127.0.0.1") == true, "\(error?.message ?? "")") }
        #expect([.inputOutput, .invalidArgument].contains(error?.code))
    }

    @Test("Messages of the server are shown without the password")
    func redacted() throws {
        let address = try PostgreSQLAddress(url: "postgres://anna:secret42@db.example/shop", schema: "s", isReadOnly: false)
        #expect(address.redacted("it is secret42") == "it is ***")
        #expect(address.description == "PostgreSQL at db.example, database shop, schema s")
        #expect(address.parameters.contains { $0 == ("target_session_attrs", "read-write") })
    }
}
