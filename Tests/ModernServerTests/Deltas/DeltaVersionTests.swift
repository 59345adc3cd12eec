import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("Delta sync of the listener with a 4.x client", .timeLimit(.minutes(2)))
struct DeltaVersionTests {
    private static let own = "18e9f0cc68800001@BOA02SKaSYC0d/vOEWw0Ew"
    private static let next = "18e9f0cc69840001@BOA02SKaSYC0d/vOEWw0Ew"

    private static func body(_ number: Int) -> String {
        "{\"n\":\(number),\"pad\":\"\(String(repeating: "x", count: 500))\"}"
    }

    private func bridge(deltaSync: Bool = true) async throws -> TestBridge {
        try await TestBridge { $0.deltaSync = deltaSync }
    }

    /// The revisions that a client with these known revisions receives.
    private func pulled(_ bridge: TestBridge, _ known: [String], refuses: Bool = false) async throws -> [TestPeer.Arrived] {
        try await bridge.connect(.v4) { peer in
            await peer.configure {
                $0.known["0/a"] = known
                $0.refusesDeltas = refuses
            }
            try await VersionClient.begin(peer)
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count >= (refuses ? 2 : 1) }
            return await peer.revisions
        }
    }

    @Test(
        "A revision is pulled as a delta from a version that the client has, and as a whole if the delta is refused",
        arguments: [false, true])
    func pulled(_ refuses: Bool) async throws {
        let bridge = try await bridge()
        try await bridge.put("a", "1-aa", Self.body(1))
        let first = try await bridge.version(of: "a").vector.current.description
        try await bridge.put("a", "2-bb", Self.body(2), "1-aa")
        // The client's own later edit is first in its reply.
        for known in [[first], [Self.own, first]] {
            let revisions = try await pulled(bridge, known, refuses: refuses)
            #expect(revisions[0].properties["deltaSrc"] == first)
            #expect(revisions[0].text == #"{"n":2}"#)
            #expect(
                try VersionHistory(rev: revisions[0].revision, history: revisions[0].properties["history"]).vector.contains(
                    #require(Version(first))))
            #expect(!revisions[0].noReply)
            guard refuses else { continue }
            #expect(revisions[1].properties["deltaSrc"] == nil && revisions[1].text == Self.body(2))
            #expect(revisions[1].properties["sequence"] == revisions[0].properties["sequence"])
        }
    }

    @Test("A revision is pulled as a whole from a forgotten version, from a tree ID and from a tombstone")
    func whole() async throws {
        let bridge = try await bridge()
        try await bridge.put("a", "1-aa", Self.body(1))
        let first = try await bridge.version(of: "a").vector.current.description
        var parent = "1-aa"
        for number in 2...6 {
            let revision = "\(number)-aa"
            try await bridge.put("a", revision, Self.body(number), parent)
            _ = try await bridge.version(of: "a")
            parent = revision
        }
        for known in [[first], ["5-aa"], [Self.own], []] {
            let revisions = try await pulled(bridge, known)
            #expect(revisions.map(\.text) == [Self.body(6)] && revisions[0].properties["deltaSrc"] == nil, "\(known)")
        }
        try await bridge.put("a", "7-aa", "{}", parent, isDeleted: true)
        let tombstone = try await bridge.version(of: "a").vector.current.description
        try await bridge.put("a", "8-aa", Self.body(8), "7-aa")
        #expect(try await pulled(bridge, [tombstone])[0].properties["deltaSrc"] == nil)
    }

    @Test("A revision that an upgraded client has is sent as an empty delta, with and without delta sync", arguments: [false, true])
    func upgraded(isOn: Bool) async throws {
        for refuses in [false, true] {
            let bridge = try await TestBridge { $0.deltaSync = isOn }
            try await bridge.put("a", "1-aa", #"{"n":1}"#)
            try await bridge.put("b", "2-bb", #"{"n":2}"#, "1-aa")
            try await bridge.connect(.v4) { peer in
                await peer.configure {
                    $0.known["0/a"] = ["1-aa"]
                    $0.known["0/b"] = ["1-aa"]
                    $0.refusesDeltas = refuses
                }
                try await VersionClient.begin(peer)
                try await peer.wait { $0.caughtUp == 1 }
                let revisions = await peer.revisions
                let sent = revisions.map { [$0.id, $0.properties["deltaSrc"] ?? "whole", $0.text] }
                #expect(sent.contains(["a", "1-aa", "{}"]) && sent.contains(["b", "whole", #"{"n":2}"#]))
                // The client has stored everything before the end of the pull is announced.
                #expect(sent.contains(["a", "whole", #"{"n":1}"#]) == refuses && sent.count == (refuses ? 3 : 2))
                #expect(revisions.allSatisfy { !$0.noReply && $0.properties["history"] == "1-aa" })
            }
        }
    }

    @Test("A pushed delta may build on the bridge's version, on the client's own, or on the revision from before its upgrade")
    func pushed() async throws {
        let bridge = try await bridge()
        try await bridge.put("a", "1-aa", Self.body(1))
        let first = try await bridge.version(of: "a").vector.current.description
        try await bridge.connect(.v4) { peer in
            try await begin(peer)
            let proposal = try await peer.ask("proposeChanges", ["collection": "0"], "[[\"a\",\"\(Self.own)\",\"\(first)\",9]]")
            #expect(proposal.properties["deltas"] == "true" && proposal.body == Array("[]".utf8))
            for source in [Self.next, "nonsense", "9-aa", ""] {
                let reply = try await peer.ask(delta(Self.own, first, source, #"{"n":2}"#))
                #expect(reply.errorDomain == "HTTP" && reply.errorCode == 422, "\(source)")
            }
            #expect(try await peer.ask(delta(Self.own, first, first, #"{"n":2}"#)).type == .reply)
            #expect(try await winner(bridge) == Self.body(2))
            #expect(try await peer.ask(delta(Self.next, first, Self.own, #"{"n":3}"#)).type == .reply)
            #expect(try await winner(bridge) == Self.body(3))
        }
        let upgraded = try await self.bridge()
        try await upgraded.put("a", "1-aa", Self.body(1))
        try await upgraded.connect(.v4) { peer in
            try await begin(peer)
            #expect(try await peer.ask(delta(Self.own, "1-aa", "1-aa", #"{"n":2}"#)).type == .reply)
            #expect(try await winner(upgraded) == Self.body(2))
        }
    }

    @Test("A client gets a delta from the version that it has pushed")
    func afterPush() async throws {
        let bridge = try await bridge()
        try await bridge.connect(.v4) { peer in
            try await begin(peer)
            #expect(
                try await peer.ask(
                    .request("rev", properties: ["collection": "0", "id": "a", "rev": Self.own], body: Array(Self.body(1).utf8))
                ).type == .reply)
        }
        let pushed = try await bridge.database.unified.read { try $0.document("a")?.winner }
        try await bridge.put("a", "2-bb", Self.body(2), try #require(pushed).text)
        let revisions = try await pulled(bridge, [Self.own])
        #expect(revisions[0].properties["deltaSrc"] == Self.own && revisions[0].text == #"{"n":2}"#)
    }

    @Test("Without deltaSync no deltas are offered, and deltas are refused")
    func off() async throws {
        let bridge = try await bridge(deltaSync: false)
        try await bridge.put("a", "1-aa", Self.body(1))
        let first = try await bridge.version(of: "a").vector.current.description
        try await bridge.put("a", "2-bb", Self.body(2), "1-aa")
        #expect(try await pulled(bridge, [first])[0].text == Self.body(2))
        try await bridge.connect(.v4) { peer in
            try await begin(peer)
            let reply = try await peer.ask("proposeChanges", ["collection": "0"], "[[\"b\",\"\(Self.own)\",\"\"]]")
            #expect(reply.properties["deltas"] == nil)
            #expect(try await peer.ask(delta(Self.own, first, first, "{}")).errorCode == 400)
        }
    }

    private func begin(_ peer: TestPeer) async throws {
        try await peer.ask("getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
    }

    private func delta(_ revision: String, _ history: String, _ source: String, _ body: String) -> BLIPMessage {
        let properties: BLIPProperties = [
            "collection": "0", "id": "a", "rev": revision, "history": history, "sequence": "2", "noconflicts": "1", "deltaSrc": source,
        ]
        return .request("rev", properties: properties, body: Array(body.utf8), isCompressed: true)
    }

    private func winner(_ bridge: TestBridge) async throws -> String? {
        try await bridge.database.unified.read { snapshot in
            try snapshot.document("a").flatMap { try $0.content(of: $0.winner) }.map { String(decoding: $0.body.properties, as: UTF8.self) }
        }
    }
}
