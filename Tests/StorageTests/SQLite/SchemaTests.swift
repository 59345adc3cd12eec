import Documents
import Foundation
import GRDB
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("The schema of a store")
struct SchemaTests {
    /// The schema's version and the application ID in the database's header.
    private func header(_ folder: TemporaryFolder) throws -> [Int64] {
        try folder.change { database in
            try ["user_version", "application_id"].compactMap { try Int64.fetchOne(database, sql: "PRAGMA \($0)") }
        }
    }

    private func set(version: Int, application: Int64 = Schema.applicationID, in folder: TemporaryFolder) throws {
        try folder.change { try $0.execute(sql: "PRAGMA user_version = \(version); PRAGMA application_id = \(application)") }
    }

    private func contents(_ folder: TemporaryFolder) -> Data? {
        FileManager.default.contents(atPath: SQLiteStore.file(in: folder.store))
    }

    @Test("A new store has the newest version, and so has one whose creation was interrupted before it had a schema")
    func created() async throws {
        for isInterrupted in [false, true] {
            let folder = try TemporaryFolder()
            if isInterrupted {
                try FileManager.default.createDirectory(atPath: folder.store, withIntermediateDirectories: true)
                for name in ["store.lock", "store.sqlite"] { try Data().write(to: URL(fileURLWithPath: "\(folder.store)/\(name)")) }
            }
            try await folder.open().close()
            #expect(try header(folder) == [Int64(SQLiteStore.schemaVersion), Schema.applicationID])
            try await folder.open { $0.isReadOnly = true }.close()
        }
    }

    @Test("The baseline keeps its version, and the steps are in the order of their versions")
    func steps() {
        #expect(SchemaVersion.all.first?.number == 25)
        let numbers = SchemaVersion.all.map(\.number)
        #expect(numbers == Array(25..<25 + numbers.count))
    }

    @Test("A store of a newer schema is refused by both versions' names, and stays as it is")
    func newer() async throws {
        let folder = try TemporaryFolder()
        try await folder.open().close()
        let newer = SchemaVersion.newest + 1
        try set(version: newer, in: folder)
        let before = contents(folder)
        for isReadOnly in [false, true] {
            let error = #expect(throws: StorageError(.newerSchema, "")) { try folder.open { $0.isReadOnly = isReadOnly } }
            #expect(error?.message.contains("version \(newer)") == true)
            #expect(error?.message.contains("up to \(SchemaVersion.newest)") == true)
        }
        #expect(contents(folder) == before)
    }

    @Test("A store from before the baseline is refused by its version, and stays as it is", arguments: [0, 1, 24])
    func older(version: Int) async throws {
        let folder = try TemporaryFolder()
        try await folder.open().close()
        try set(version: version, in: folder)
        let before = contents(folder)
        for isReadOnly in [false, true] {
            let error = #expect(throws: StorageError(.olderSchema, "")) { try folder.open { $0.isReadOnly = isReadOnly } }
            #expect(error?.message.contains("version \(version)") == true)
            #expect(error?.message.contains("from 25 on") == true)
        }
        #expect(throws: StorageError(.olderSchema, "")) { try SQLiteStore.inspect(folder.store) }
        let file = SQLiteStore.file(in: folder.store)
        #expect(throws: StorageError(.olderSchema, "")) { try SQLiteStore.restore(from: file, to: "\(folder.path)/restored.dualgauge") }
        #expect(contents(folder) == before)
    }

    @Test("A database of another program is refused and not touched", arguments: [0, Schema.applicationID + 1])
    func foreign(application: Int64) async throws {
        let folder = try TemporaryFolder()
        try folder.change { try $0.execute(sql: "CREATE TABLE theirs (x); PRAGMA journal_mode = DELETE") }
        try set(version: application == 0 ? 0 : SchemaVersion.newest, application: application, in: folder)
        let before = contents(folder)
        #expect(throws: StorageError(.notAStore, "")) { try folder.open() }
        #expect(contents(folder) == before)
    }

    @Test("A store that was made when sequences began at 10^12 goes on there; one that a crash left without a counter is new")
    func earlierOrigin() async throws {
        for hasCounter in [true, false] {
            let folder = try TemporaryFolder()
            let former = SequenceNumber.earlierOrigin
            try folder.change { database in
                try Schema(path: folder.store).migrate(database)
                guard hasCounter else { return }
                try database.execute(
                    sql: "INSERT INTO settings (name, value) VALUES ('store.origin', ?), ('store.counter', ?)",
                    arguments: [former.value, former.value + 5])
            }
            for opening in 0..<2 {
                let store = try folder.open()
                let origin = hasCounter ? former : .newOrigin
                #expect(try await store.read { try $0.origin } == origin)
                let last = SequenceNumber(origin.value + (hasCounter ? 5 : 0) + Int64(opening))
                #expect(try await store.read { try $0.lastSequence } == last)
                try await store.write { _ = try $0.add("a\(opening)") }
                try await store.close()
            }
        }
    }
}

@Suite("The migration of a store to a later schema")
struct SchemaMigrationTests {
    /// Steps that a later program might have.
    private static let later = [
        SchemaVersion(
            number: SchemaVersion.newest + 1,
            sql: Array("CREATE TABLE later (name TEXT); INSERT INTO later SELECT unified_id FROM documents;".utf8)),
        SchemaVersion(number: SchemaVersion.newest + 2, sql: Array("ALTER TABLE later ADD COLUMN size INTEGER DEFAULT 7;".utf8)),
    ]

    /// A store of the present schema with one document.
    private func store() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try await store.write { _ = try $0.add("a") }
        try await store.close()
        return folder
    }

    private func schema(_ folder: TemporaryFolder, _ later: [SchemaVersion]) -> Schema {
        Schema(path: folder.store, steps: SchemaVersion.all + later)
    }

    /// The version in the database's header.
    private func version(_ folder: TemporaryFolder) throws -> Int? {
        try folder.change { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }

    @Test("The missing steps are applied in order, each once")
    func applied() async throws {
        let folder = try await store()
        for count in [1, 2, 2] {
            try folder.change { try schema(folder, Array(Self.later.prefix(count))).migrate($0) }
            #expect(try version(folder) == SchemaVersion.newest + count)
        }
        let rows = try folder.change { try Row.fetchAll($0, sql: "SELECT name, size FROM later") }
        #expect(rows.map { $0["name"] as String? } == ["a"] && rows.map { $0["size"] as Int? } == [7])
        #expect(throws: StorageError(.newerSchema, "")) { try folder.open() }
    }

    @Test("A new store gets all steps")
    func fresh() throws {
        let folder = try TemporaryFolder()
        try folder.change { try schema(folder, Self.later).migrate($0) }
        #expect(try version(folder) == SchemaVersion.newest + 2)
        #expect(try folder.change { try Int.fetchOne($0, sql: "SELECT count(size) FROM later") } == 0)
    }

    @Test("A step that fails leaves the store at its version, without the steps before it")
    func failed() async throws {
        let folder = try await store()
        let broken = SchemaVersion(number: SchemaVersion.newest + 2, sql: Array("ALTER TABLE missing ADD COLUMN size INTEGER;".utf8))
        #expect(throws: DatabaseError.self) {
            try folder.change { try schema(folder, [Self.later[0], broken]).migrate($0) }
        }
        #expect(try version(folder) == SchemaVersion.newest)
        #expect(try folder.change { try $0.tableExists("later") } == false)
        let store = try folder.open()
        #expect(try await store.read { try $0.document(unifiedID: "a") } != nil)
        try await store.close()
    }

    @Test("A store that needs a migration is not migrated to read it")
    func unread() async throws {
        let folder = try await store()
        let error = #expect(throws: StorageError(.olderSchema, "")) {
            try folder.change { try schema(folder, Self.later).checkReadable($0) }
        }
        #expect(error?.message.contains("version \(SchemaVersion.newest), and this program reads version") == true)
        #expect(try version(folder) == SchemaVersion.newest)
        try folder.change { database in
            try schema(folder, Self.later).migrate(database)
            try schema(folder, Self.later).checkReadable(database)
        }
    }
}
