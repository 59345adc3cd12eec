import Documents
import Foundation
import Logging
import SQLiteStorage
import Scripting
import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite("Rule 6: a restored backup is detected", .enabled(if: !TestStores.arePostgreSQL))
struct FenceTests {
    /// A backup in a folder of its own, which is deleted with it.
    private final class Backup {
        private let folder: String
        let path: String
        private var store: SQLiteStore?

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "fence-\(UUID().uuidString)").path
            path = folder + "/backup"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// Restores a store from the backup as an operator does, with a fence, and opens a database over it.
        func restored(at time: Date = Date()) async throws -> (SQLiteStore, Database) {
            try await close()
            let place = "\(folder)/again-\(UUID().uuidString)"
            try SQLiteStore.restore(from: path, to: place)
            let store = try SQLiteStore(path: place)
            self.store = store
            try await store.raiseFence(at: time)
            let database = try await Database(
                configuration: DatabaseConfiguration(name: "db"), store: store, scripts: ScriptEngine(workers: 1),
                logger: Logger(label: "test"))
            return (store, database)
        }

        func close() async throws {
            try await store?.close()
            store = nil
        }
    }

    @Test("A client with a position in the lost time continues at the end of the backup, and misses no later write")
    func restored() async throws {
        let fixture = try await Fixture()
        let backup = try Backup()
        try await fixture.unified.push("a", "1-aa")
        let end = try await fixture.unified.lastSequence()
        try await fixture.sqlite.backup(to: backup.path)
        for id in ["lost", "too"] { try await fixture.unified.push(id, "1-aa") }
        let client = try await fixture.unified.lastSequence()

        let (store, database) = try await backup.restored()
        let keyspace = database.unified
        #expect(try await keyspace.lastSequence() > client)
        try await keyspace.push("b", "1-bb")
        #expect(try await keyspace.feed { $0.since = FeedPosition(client) } == ["b@1-bb"])
        #expect(try await store.read { try $0.fence(around: client) } == end)
        #expect(try await store.read { try $0.fence(around: end) } == nil)
        let now = try await keyspace.lastSequence()
        #expect(try await keyspace.feed { $0.since = FeedPosition(now) } == [])
        #expect(try await store.read { try $0.fence(around: now) } == nil)
        try await backup.close()
    }

    @Test("After a second restore of one backup, a feed that goes on at a position of the time in between misses nothing")
    func restoredTwice() async throws {
        let fixture = try await Fixture()
        let backup = try Backup()
        try await fixture.unified.push("a", "1-aa")
        try await fixture.sqlite.backup(to: backup.path)

        let (_, first) = try await backup.restored()
        for id in ["lost", "too"] { try await first.unified.push(id, "1-aa") }
        let client = try await first.unified.lastSequence()
        let (_, second) = try await backup.restored(at: Date() + 60)
        for id in ["b", "c", "d"] { try await second.unified.push(id, "1-bb") }
        #expect(try await second.unified.feed { $0.since = FeedPosition(client) }.suffix(3) == ["b@1-bb", "c@1-bb", "d@1-bb"])
        try await backup.close()
    }

    @Test("Documents of the backup keep their version, and later versions are newer than the lost ones")
    func versions() async throws {
        let fixture = try await Fixture()
        let backup = try Backup()
        func version(of keyspace: Keyspace) async throws -> VersionVector {
            let rows = try await keyspace.changes(ChangesQuery()).rows
            return try #require(try await keyspace.versions(of: rows).first?.flatMap(\.self))
        }
        try await fixture.unified.push("a", "1-aa")
        try await fixture.sqlite.backup(to: backup.path)
        let told = try await version(of: fixture.unified)
        // All within one millisecond, perhaps, so that the versions are ahead of the clock.
        var lost = told
        for number in 2..<12 {
            try await fixture.unified.push("a", "\(number)-cc", number == 2 ? "1-aa" : "\(number - 1)-cc")
            lost = try await version(of: fixture.unified)
        }

        let database = try await backup.restored().1
        #expect(try await version(of: database.unified) == told)
        try await database.unified.push("a", "2-bb", "1-aa")
        let anew = try await version(of: database.unified)
        #expect(anew.contains(lost.current) && !lost.contains(anew.current))
        try await database.unified.push("a", "3-bb", "2-bb")
        #expect(try await version(of: database.unified).contains(anew.current))
        try await backup.close()
    }

    @Test("A document that is created again gets a version after those that 4.x clients may have received in the lost time")
    func createdAnew() async throws {
        let fixture = try await Fixture()
        let backup = try Backup()
        try await fixture.unified.push("a", "1-aa")
        try await fixture.sqlite.backup(to: backup.path)
        let lost = try #require(try await fixture.unified.versions(of: fixture.unified.changes(ChangesQuery()).rows).first ?? nil)

        let (_, database) = try await backup.restored()
        try await database.unified.push("a", "2-bb", "1-aa", deleted: true)
        let made = VersionedWrite(history: VersionHistory(vector: try Spelling.vector("5a")), copy: nil)
        _ = try await database.unified.write(
            RevisionWrite(id: "a", kind: .versioned(made), isDeleted: false, body: Array("{}".utf8)))
        let shown = try #require(try await database.unified.versions(of: database.unified.changes(ChangesQuery()).rows).first ?? nil)
        #expect(try shown.contains(lost) && shown.contains(Spelling.vector("5a")))
        try await backup.close()
    }

    @Test(
        "A branch that wins again after a restore gets a version newer than the other branch may have got in the lost time",
        arguments: [true, false])
    func winsAgain(isOtherInBackup: Bool) async throws {
        let fixture = try await Fixture()
        let backup = try Backup()
        try await fixture.unified.push("a", "1-aa")
        let first = try await shown(fixture.unified)
        if isOtherInBackup { try await fixture.unified.push("a", "1-bb") }
        try await fixture.sqlite.backup(to: backup.path)
        if !isOtherInBackup { try await fixture.unified.push("a", "1-bb") }
        let lost = try await shown(fixture.unified)
        #expect(lost.order(to: first) == .newer)

        let keyspace = try await backup.restored().1.unified
        try await keyspace.push("a", "2-cc", "1-bb", deleted: true)
        // A client with the lost version follows it, and not the winner.
        let made = VersionedWrite(history: VersionHistory(vector: lost.child(try Spelling.vector("5a").current)), copy: nil)
        await #expect(throws: GatewayError.self) {
            try await keyspace.write(RevisionWrite(id: "a", kind: .versioned(made), isDeleted: false, body: Array("{}".utf8)))
        }
        #expect(try await keyspace.feed() == ["a@1-aa"])
        let anew = try await shown(keyspace)
        #expect(anew.contains(lost) && !lost.contains(anew))
        // Once is enough.
        #expect(try await shown(keyspace) == anew)
        try await keyspace.push("a", "1-99")
        #expect(try await shown(keyspace) == anew)
        try await backup.close()
    }

    /// The version of the only document, as a 4.x client receives it.
    private func shown(_ keyspace: Keyspace) async throws -> VersionVector {
        try #require(try await keyspace.versions(of: keyspace.changes(ChangesQuery()).rows).first ?? nil)
    }
}
