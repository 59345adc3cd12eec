import Foundation
import Logging
import Scripting
import Storage
import Testing

@testable import Gateway

@Suite("Rule 6: a restored backup is noticed")
struct FenceTests {
    @Test("A client that stands in the lost time is taken back to the end of the backup, and misses nothing that is written anew")
    func restored() async throws {
        let fixture = try await Fixture()
        let folder = FileManager.default.temporaryDirectory.appending(path: "fence-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await fixture.unified.push("a", "1-aa")
        let end = try await fixture.unified.lastSequence()
        try await fixture.store.backup(to: folder + "/backup")
        for id in ["lost", "too"] { try await fixture.unified.push(id, "1-aa") }
        let client = try await fixture.unified.lastSequence()

        try SQLiteStore.restore(from: folder + "/backup", to: folder + "/again")
        let store = try SQLiteStore(path: folder + "/again")
        try await store.raiseFence()
        let database = try await Database(
            configuration: DatabaseConfiguration(name: "db"), store: store, scripts: ScriptEngine(workers: 1), logger: Logger(label: "test")
        )
        let keyspace = database.unified
        #expect(try await keyspace.lastSequence() > client)
        try await keyspace.push("b", "1-bb")
        #expect(try await keyspace.feed { $0.since = FeedPosition(client) } == ["b@1-bb"])
        #expect(try await store.read { try $0.fence(around: client) } == end)
        #expect(try await store.read { try $0.fence(around: end) } == nil)
        let now = try await keyspace.lastSequence()
        #expect(try await keyspace.feed { $0.since = FeedPosition(now) } == [])
        #expect(try await store.read { try $0.fence(around: now) } == nil)
        let before = try await fixture.store.read { try ($0.uuid, $0.versionSource(at: end), $0.versionSource(at: $0.lastSequence)) }
        let after = try await store.read { try ($0.uuid, $0.versionSource(at: end), $0.versionSource(at: $0.lastSequence)) }
        #expect(before.0 == before.1 && before.0 == before.2)
        #expect(after.0 == before.0 && after.1 == before.1, "it is the same database, and says of what it has what it has said")
        #expect(after.2 != before.2, "but what it says of what is new is not what it said in the lost time")
        #expect(try await store.read { try $0.versionSources } == [after.0, after.2])
        try await store.close()
    }
}
