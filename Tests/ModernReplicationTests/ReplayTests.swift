import BLIP
import Documents
import Foundation
import Gateway
import ModernReplication
import Testing

@Suite("Recorded conversations", .timeLimit(.minutes(5)))
struct ReplayTests {
    @Test("LiteCore 3.2.1 and the default collection: push, pull, update, conflict, blobs")
    func replaysDefaultCollection() async throws {
        let bridge = try await TestBridge()
        var sequences: [String: String] = [:]
        try await Replay.frames("default-push", on: bridge)
        try await Replay.messages("default-pull", on: bridge, sequences: &sequences)
        try await Replay.frames("default-push-b", on: bridge)
        try await Replay.frames("default-conflict-push", on: bridge)
        try await Replay.messages("default-conflict-pushpull", on: bridge, sequences: &sequences)
        try await Replay.frames("default-push-blob", on: bridge)
        try await Replay.messages("default-pull-blob", on: bridge, sequences: &sequences)
    }

    @Test("LiteCore 3.2.1 and named collections")
    func replaysCollections() async throws {
        let bridge = try await TestBridge()
        var sequences: [String: String] = [:]
        try await Replay.frames("collections-missing", on: bridge)
        try await Replay.frames("collections-push", on: bridge)
        try await Replay.messages("collections-pull", on: bridge, sequences: &sequences)
    }

    @Test("LiteCore 2.8.0, protocol 2")
    func replaysVersion2() async throws {
        let bridge = try await TestBridge()
        var sequences: [String: String] = [:]
        try await Replay.frames("lite2.8-push-basic-auth", on: bridge, .v2)
        try await Replay.messages("lite2.8-pull-basic-auth", on: bridge, .v2, sequences: &sequences)
    }

    @Test("The beginning of a push of many documents: one deflate stream throughout")
    func replaysMany() async throws {
        let bridge = try await TestBridge()
        try await Replay.frames("default-push-1000", on: bridge)
        let batch = try await bridge.database.unified.changes(ChangesQuery())
        #expect(batch.rows.count > 200)
    }
}
