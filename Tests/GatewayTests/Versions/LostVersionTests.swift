import Documents
import Foundation
import Logging
import SQLiteStorage
import Scripting
import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite("Versions that were lost by the restore of a backup", .enabled(if: !TestStores.arePostgreSQL))
struct LostVersionTests {
    private static let client = "04e034d9-229a-4980-b477-fbce116c3413"
    private let folder = NSTemporaryDirectory() + "dualgauge-lost-" + UUID().uuidString

    @Test("A client with a lost version is asked for its revision, until its history has sent the tree ID that its database keeps")
    func isAskedFor() async throws {
        try await restored(after: { try await $0.push("b", "1-bb") }, losing: { try await $0.push("a", "1-aa") }) { bridge, lost in
            let held = try #require(lost["a"])
            // The document is replicated from another server.
            try await bridge.push("a", "1-aa")
            // The reply gives the document a version, which changes nothing for the next proposal.
            for _ in 0..<2 {
                #expect(try await answer("a", held, copy(bridge), bridge) == .wanted)
                #expect(try await answer("a", held, nil, bridge) != .wanted)
            }
            let made = VersionedWrite(history: VersionHistory(vector: held, legacy: [try revision("1-aa")]), copy: copy(bridge))
            let write = RevisionWrite(id: "a", kind: .versioned(made), isDeleted: false, body: Array("{}".utf8))
            #expect(try await bridge.write(write).isNew == false)
            let client = copy(bridge)
            let (winner, remembered) = try await bridge.read { snapshot in
                let document = try #require(try snapshot.document("a"))
                return (document.winner.text, try snapshot.legacyRevision(of: document, copy: client)?.text)
            }
            #expect(winner == "1-aa" && remembered == "1-aa")
            // Its ID is stored now, and the version that was sent is not asked for.
            #expect(try await answer("a", held, client, bridge) == .known)
            let shown = try #require(try await shown(bridge)["a"])
            #expect(shown != held && shown.contains(held))
            let other = ClientDatabase(client: "other", keyspace: bridge)
            #expect(try await answer("a", held, other, bridge) == .wanted)
            #expect(try await answer("a", shown, other, bridge) == .known)
        }
    }

    @Test("A document of the backup gets its former version again, and no client is asked for it")
    func isGivenAgain() async throws {
        try await restored(after: { try await $0.push("b", "1-bb") }, losing: { _ in }) { bridge, told in
            let held = try #require(told["b"])
            #expect(try await answer("b", held, copy(bridge), bridge) == .conflict(current: .version(held.current)))
            #expect(try await shown(bridge)["b"] == held)
            #expect(try await answer("b", held, copy(bridge), bridge) == .known)
            // The former version is not asked for after a change either: it is stored.
            try await bridge.push("b", "2-cc", "1-bb")
            #expect(try await shown(bridge)["b"] != held)
            #expect(try await answer("b", held, copy(bridge), bridge) == .known)
        }
    }

    // MARK: Helpers

    /// A database that is restored from a backup, and the versions that were sent in the lost time.
    private func restored(
        after first: (Keyspace) async throws -> Void, losing second: (Keyspace) async throws -> Void,
        _ work: (Keyspace, [String: VersionVector]) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let fixture = try await Fixture()
        try await first(fixture.unified)
        try await fixture.sqlite.backup(to: folder + "/backup")
        try await second(fixture.unified)
        let lost = try await shown(fixture.unified)
        try SQLiteStore.restore(from: folder + "/backup", to: folder + "/again")
        let store = try SQLiteStore(path: folder + "/again")
        try await store.raiseFence()
        let database = try await Database(
            configuration: fixture.database.configuration, store: store, scripts: ScriptEngine(workers: 1), logger: Logger(label: "test"))
        try await work(database.unified, lost)
        try await store.close()
    }

    private func copy(_ bridge: Keyspace) -> ClientDatabase { ClientDatabase(client: Self.client, keyspace: bridge) }

    private func shown(_ bridge: Keyspace) async throws -> [String: VersionVector] {
        let rows = try await bridge.changes(ChangesQuery()).rows
        let versions = try await bridge.versions(of: rows)
        return Dictionary(zip(rows, versions).compactMap { row, version in version.map { (row.id, $0) } }) { $1 }
    }

    private func answer(_ id: String, _ held: VersionVector, _ copy: ClientDatabase?, _ bridge: Keyspace) async throws -> VersionAnswer? {
        let proposal = VersionProposal(id: id, revision: .version(held), parent: nil)
        return try await bridge.answer([proposal], copy: copy, hasTree: false, isFirst: true).first
    }
}
