import BLIP
import Documents
import Foundation
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("Recorded conversations", .timeLimit(.minutes(5)))
struct ReplayTests {
    @Test("LiteCore 3.2.1 in the default collection: push, pull, update, conflict and blobs get the recorded replies")
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

    @Test("LiteCore 3.2.1 in named collections gets the recorded replies")
    func replaysCollections() async throws {
        let bridge = try await TestBridge()
        var sequences: [String: String] = [:]
        try await Replay.frames("collections-missing", on: bridge)
        try await Replay.frames("collections-push", on: bridge)
        try await Replay.messages("collections-pull", on: bridge, sequences: &sequences)
    }

    @Test("LiteCore 2.8.0 over protocol 2 gets the recorded replies")
    func replaysVersion2() async throws {
        let bridge = try await TestBridge()
        var sequences: [String: String] = [:]
        try await Replay.frames("lite2.8-push-basic-auth", on: bridge, .v2)
        try await Replay.messages("lite2.8-pull-basic-auth", on: bridge, .v2, sequences: &sequences)
    }

    @Test("LiteCore 4.1.0 over protocol 4: push, update, conflict, an edit of the conflict and its resolution get the recorded replies")
    func replaysVersions() async throws {
        let bridge = try await TestBridge()
        for name in ["lite4.1-push", "lite4.1-push-update", "lite4.1-push-conflict", "lite4.1-push-unresolved", "lite4.1-push-resolved"] {
            try await Replay.frames(name, on: bridge, .v4)
        }
        let rows = try await bridge.database.unified.changes(ChangesQuery()).rows
        let versions = try await bridge.database.unified.versions(of: rows)
        #expect(
            versions.map { $0?.description } == [
                "18e9f1d777490001@bBNusxYnQSCiiZfK3NxtSA;18e9f1d6a29d0001@oLc6SjnuS9m7Mju7S/oQ4g",
                "18e9f1d7e1770001@bBNusxYnQSCiiZfK3NxtSA,18e9f1d777e90001@bBNusxYnQSCiiZfK3NxtSA,18e9f1d6a4290001@oLc6SjnuS9m7Mju7S/oQ4g;",
            ])
        #expect(rows.allSatisfy { $0.revision.hasPrefix("3-") })
    }

    @Test("LiteCore 4.1.0: tombstones, and named collections with a blob, get the recorded replies")
    func replaysVersionsMore() async throws {
        let bridge = try await TestBridge { configuration in
            configuration.collections = ["s1.c1", "s1.c2"].compactMap { CollectionName($0) }.map { CollectionConfiguration(name: $0) }
        }
        try await Replay.frames("lite4.1-push-new", on: bridge, .v4)
        try await Replay.frames("lite4.1-push-tombstone", on: bridge, .v4)
        try await Replay.frames("lite4.1-collections-push", on: bridge, .v4)
        let rows = try await bridge.database.unified.changes(ChangesQuery()).rows
        #expect(Set(rows.map { "\($0.id) \($0.isDeleted)" }) == ["a1 false", "a2 false", "gone true", "o1 false", "ph false", "p1 false"])
        // Attachment metadata that 1.x clients need and 4.x clients do not send.
        let photo = try await bridge.database.unified.revision(.current, of: "ph")
        #expect(try AttachmentSet(#require(photo.body.attachments)).entries.map(\.revpos) == [1])
    }

    @Test(
        "LiteCore 3.4.0, which pushes over protocol 4 with tree IDs, gets the recorded replies",
        arguments: ["lite3.4-push", "lite3.4-push-again"])
    func replaysTreesInVersion4(name: String) async throws {
        let bridge = try await TestBridge()
        try await Replay.frames(name, on: bridge, .v4, offer: ["BLIP_3+CBMobile_4,BLIP_3+CBMobile_3"])
        #expect(try await bridge.database.unified.changes(ChangesQuery()).rows.first?.id == "a")
    }

    @Test("The beginning of a push of many documents is one deflate stream")
    func replaysMany() async throws {
        let bridge = try await TestBridge()
        try await Replay.frames("default-push-1000", on: bridge)
        let batch = try await bridge.database.unified.changes(ChangesQuery())
        #expect(batch.rows.count > 200)
    }
}
