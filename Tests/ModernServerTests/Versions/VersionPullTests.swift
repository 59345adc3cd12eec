import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Testing

@Suite("Pulls over protocol 4", .timeLimit(.minutes(5)))
struct VersionPullTests {
    @Test("A 4.x client gets a version of every revision, and no tree ID")
    func versions() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.put("a", "2-bb", #"{"n":2}"#, "1-aa")
        try await bridge.put("gone", "1-aa", "{}")
        try await bridge.put("gone", "2-bb", "{}", "1-aa", isDeleted: true)
        try await bridge.connect(.v4) { peer in
            try await VersionClient.pull(peer)
            let rows = await peer.changes.flatMap(\.rows)
            #expect(rows.compactMap { $0[1].string } == ["a", "gone"])
            #expect(rows.allSatisfy { Version($0[2].string ?? "") != nil })
            #expect(rows.map { $0.count > 3 ? $0[3].int : nil } == [nil, 1])
            for revision in await peer.revisions {
                #expect(Version(revision.revision) != nil && revision.properties["history"] == nil)
            }
            #expect(await peer.revisions.map(\.text) == [#"{"n":2}"#, "{}"])
            #expect(await peer.revisions.map { $0.properties["deleted"] } == [nil, "1"])
        }
    }

    @Test("A revision that is gone is replaced by the current one under a new version, which the feed then has too")
    func replaces() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.answersChanges = false }
            try await VersionClient.begin(peer)
            try await peer.wait { !$0.changes.isEmpty }
            for generation in 2...9 {
                try await bridge.put("a", "\(generation)-aa", #"{"n":\#(generation)}"#, "\(generation - 1)-aa")
            }
            let number = try #require(await peer.requests.first { $0.profile == "changes" }?.number)
            let shown = try #require(await peer.changes.first?.rows.first?[2].string)
            try await peer.answerChanges(number, "[[]]")
            try await peer.wait { $0.norevs.count + $0.revisions.count == 1 }
            let revision = try #require(await peer.revisions.first)
            #expect(revision.text == #"{"n":9}"# && revision.properties["replacedRev"] == shown)
            let version = try VersionHistory(rev: revision.revision, history: revision.properties["history"])
            #expect(version.vector.contains(try #require(Version(shown))) && revision.revision != shown)
            #expect(try await bridge.version(of: "a").vector == version.vector)
        }
    }

    @Test("A version that was sent is unchanged the next time, and an update includes it")
    func updates() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", "{}")
        let first = try await bridge.version(of: "a")
        #expect(try await bridge.version(of: "a") == first)
        try await bridge.put("a", "2-bb", "{}", "1-aa")
        let second = try await bridge.version(of: "a")
        #expect(second.vector.order(to: first.vector) == .newer && second.legacy.isEmpty)
    }

    @Test("An upgraded client gets its old tree ID at the end of every history; other clients do not")
    func legacyTail() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", "{}")
        #expect(try await bridge.version(of: "a", known: ["1-aa"]).legacy.map(\.text) == ["1-aa"])
        try await bridge.put("a", "2-bb", "{}", "1-aa")
        #expect(try await bridge.version(of: "a").legacy.map(\.text) == ["1-aa"])
        #expect(try await bridge.version(of: "a", client: "6c136eb3-1627-4120-a289-97cadcdc6d48").legacy.isEmpty)
        // An unknown ID belongs to an edit of the client's, which has to become a conflict. After its resolution, the client keeps this ID.
        let other = "7ca2e9b4-49d2-4b24-acff-db4859274be3"
        let seen = try await bridge.version(of: "a", client: other, known: ["2-cc"])
        #expect(seen.legacy.isEmpty)
        try await bridge.put("a", "3-cc", "{}", "2-bb", "1-aa")
        let next = try await bridge.version(of: "a", client: other, known: [seen.vector.current.description, "1-aa"])
        #expect(next.legacy.map(\.text) == ["2-cc"])
    }

    @Test("The ID that an upgraded client sends for a document with a refused edit ends the histories that it gets")
    func refusedTail() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", "{}")
        // The client has pulled once, so that it does not count as new.
        _ = try await bridge.version(of: "a")
        try await bridge.connect(.v4) { peer in
            try await VersionClient.pull(peer)
            let reply = try await peer.ask(
                "rev",
                [
                    "collection": "0", "id": "a", "rev": "9@AAAAAAAAAAAAAAAAAAAAAA", "sequence": "1", "history": "2-cc",
                    "noconflicts": "1",
                ], "{}")
            #expect(reply.errorCode == 409)
        }
        try await bridge.put("a", "2-bb", "{}", "1-aa")
        #expect(try await bridge.version(of: "a", known: ["9@AAAAAAAAAAAAAAAAAAAAAA"]).legacy.map(\.text) == ["2-cc"])
    }

    @Test("A revision that an upgraded client had before is sent if its edit follows a later version")
    func editedVersionBetween() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", "{}")
        let version = try await bridge.version(of: "a").vector.current
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.known["0/a"] = ["9@AAAAAAAAAAAAAAAAAAAAAA", "1@\(version.source)", "1-aa"] }
            try await VersionClient.begin(peer)
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 1 }
            #expect(await peer.norevs.isEmpty)
        }
    }

    @Test(
        "A revision that the client has edited since its upgrade is not sent, because it could only be a conflict",
        arguments: ["2-cc", "9@AAAAAAAAAAAAAAAAAAAAAA"])
    func editedSinceUpgrade(own: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", "{}")
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.known["0/a"] = [own, "1-aa"] }
            try await VersionClient.begin(peer)
            try await peer.wait { $0.caughtUp == 1 && $0.norevs.count == 1 }
            #expect(await peer.revisions.isEmpty)
            #expect(await peer.norevs.first?["error"] == "410")
        }
        // After an update here it is a conflict.
        try await bridge.put("a", "2-bb", "{}", "1-aa")
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.known["0/a"] = [own, "1-aa"] }
            try await VersionClient.pull(peer)
            #expect(await peer.revisions.count == 1)
        }
    }

    @Test("A changes message that a client refuses is sent row by row before the caught-up marker")
    func refusedChanges() async throws {
        let bridge = try await TestBridge()
        for id in ["a", "b", "c"] { try await bridge.put(id, "1-aa", "{}") }
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.answersChanges = false }
            try await VersionClient.begin(peer)
            try await peer.wait { $0.changes.count == 1 }
            try await VersionClient.refuse(peer, 1)
            try await peer.wait { $0.changes.count == 4 }
            #expect(await peer.caughtUp == 0)
            let numbers = await peer.requests.filter { $0.profile == "changes" }.map(\.number)
            try await peer.answerChanges(numbers[1], "[[]]")
            try await VersionClient.refuse(peer, numbers[2])
            try await peer.answerChanges(numbers[3], "[[]]")
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 2 }
            #expect(await peer.revisions.map(\.id) == ["a", "c"])
            #expect(await peer.changes.count == 4)
        }
    }

    @Test("A database with revision trees cannot pull over protocol 4")
    func trees() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect(.v4) { peer in
            let reply = try await peer.ask("subChanges", ["versioning": "rev-trees"])
            #expect(reply.errorCode == 400)
        }
    }
}
