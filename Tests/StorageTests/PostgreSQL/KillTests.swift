import Coordination
import Documents
import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

@Suite("Connections that end at random moments under load")
struct KillTests {
    /// The IDs of the documents whose writes were acknowledged.
    private final class Acknowledged: Sendable {
        private let kept = Lock(Set<String>())
        private let end = Lock(false)
        var isComplete: Bool { end.withLock { $0 } }
        func complete() { end.withLock { $0 = true } }
        var ids: Set<String> { kept.withLock { $0 } }
        func add(_ id: String) { kept.withLock { _ = $0.insert(id) } }
    }

    private static let writers = 6
    private static let documents = 40

    /// A limit, so that the writers get on however slow the machine is.
    private static let mostKills = 30

    /// Writes documents until each is acknowledged.
    ///
    /// A repeated write that meets its own document would show that a failed write was stored.
    private static func write(_ store: some Store, _ writer: Int, _ acknowledged: Acknowledged) async throws {
        for index in 0..<documents {
            let id = "d\(writer)-\(index)"
            while true {
                do {
                    try await store.write { transaction in
                        try transaction.add(id)
                        try transaction.edit(id, ["2-bb", "1-aa"])
                    }
                    acknowledged.add(id)
                    break
                } catch let error as StorageError where error.code == .inputOutput || error.code == .busy {
                    await Task.yield()
                }
            }
        }
    }

    /// Ends connections of the stores.
    ///
    /// - Returns: The number of ended connections.
    private static func kill(_ schema: TemporarySchema, seed: Int, until acknowledged: Acknowledged) throws -> Int {
        let connection = try schema.connect()
        var generator = SeededGenerator(seed: UInt64(seed))
        var kills = 0
        while !acknowledged.isComplete, kills < mostKills {
            // A number of round trips, in which the writers come to another point of their work.
            for _ in 0..<Int.random(in: 50...1_000, using: &generator) { _ = try connection.all("SELECT true") { $0.bool(0) } }
            kills += try connection.all(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = convert_from($1, 'UTF8')
                ORDER BY sha256(convert_to(pid::text || $2, 'UTF8')) LIMIT 1
                """, schema.name, kills
            ) { $0.bool(0) }.count
        }
        return kills
    }

    @Test("What was acknowledged is stored, and what failed is not; no feed misses a document", arguments: 0..<3)
    func killed(seed: Int) async throws {
        let schema = try TemporarySchema()
        let url = schema.url + (schema.url.contains("?") ? "&" : "?") + "application_name=\(schema.name)"
        let stores = try (0..<2).map { _ in try PostgreSQLStore(url: url, schema: schema.name) }
        let acknowledged = Acknowledged()
        // On a thread of its own, because it blocks.
        async let killing = onNewThread { try Self.kill(schema, seed: seed, until: acknowledged) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                group.addTask { try await Self.write(stores[writer % 2], writer, acknowledged) }
            }
            try await group.waitForAll()
        }
        acknowledged.complete()
        #expect(try await killing > 0)
        let stored = try await stores[0].read { try $0.feedIDs(.unified) }
        #expect(Set(stored) == acknowledged.ids && stored.count == Self.writers * Self.documents)
        try await stores[0].expectSound()
        for store in stores { try await store.close() }
    }
}
