import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Testing

@Suite("Proposals of databases that were upgraded to versions", .timeLimit(.minutes(5)))
struct VersionProposalTests {
    private static let proposal = #"[["a","1-aa","",8],["b","2-bb","",8]]"#
    private static let names = #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#

    /// A flag that is set once.
    private final class Flag: Sendable {
        private let value = Lock(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    @Test("The reply to a known revision waits until the client's pull has sent it under a version")
    func waits() async throws {
        var bridge = try await TestBridge()
        bridge.limits.timeToPull = .seconds(3_600)
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            await peer.configure {
                $0.known["0/a"] = ["1-aa"]
                $0.answersRevisions = false
            }
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
            let isAnswered = Flag()
            async let reply = {
                let reply = try await peer.ask("proposeChanges", ["collection": "0", "conflictIncludesRev": "true"], Self.proposal)
                isAnswered.set()
                return reply
            }()
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors"])
            try await peer.wait { $0.revisions.count == 1 }
            // The client has not confirmed that it is stored.
            let revision = await peer.revisions[0]
            #expect(!revision.noReply && revision.properties["history"] == "1-aa")
            try await peer.ask("getCheckpoint", ["collection": "0", "client": "cp"])
            #expect(await peer.caughtUp == 0)
            #expect(!isAnswered.isSet)
            try await peer.answerRevision("a")
            #expect(try await String(decoding: reply.body, as: UTF8.self) == #"[{"status":409,"rev":"\#(revision.revision)"}]"#)
            #expect(await peer.caughtUp == 1)
            // From here on nothing waits.
            try await peer.ask("proposeChanges", ["collection": "0"], Self.proposal)
        }
    }

    @Test("A client that does not pull, or disconnects, gets its reply all the same", arguments: [true, false])
    func pushOnly(breaksOff: Bool) async throws {
        var bridge = try await TestBridge()
        bridge.limits.timeToPull = breaksOff ? .seconds(3_600) : .milliseconds(1)
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
            if breaksOff { try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors"]) }
            async let reply = peer.ask("proposeChanges", ["collection": "0"], Self.proposal)
            if breaksOff { try await peer.ask("unsubChanges", ["collection": "0"]) }
            #expect(try await reply.body == Array("[409]".utf8))
            let again = try await peer.ask("proposeChanges", ["collection": "0"], Self.proposal)
            #expect(again.body == Array("[409]".utf8))
        }
    }

    @Test("The parent may be a whole vector, of an edit that was made during the last push")
    func wholeParent() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors"])
            try await peer.wait { $0.revisions.count == 1 }
            let here = await peer.revisions[0].revision
            for source in ["AAAAAAAAAAAAAAAAAAAAAA; \(here)", "AAAAAAAAAAAAAAAAAAAAAA, \(here);"] {
                let rows =
                    #"[["a","9@AAAAAAAAAAAAAAAAAAAAAA; \#(here)","8@\#(source)",8],["b","9@AAAAAAAAAAAAAAAAAAAAAA","no; version",8]]"#
                let reply = try await peer.ask("proposeChanges", ["collection": "0"], rows)
                #expect(String(decoding: reply.body, as: UTF8.self) == "[0,400]")
            }
        }
    }

    @Test("A document that was edited before and after the upgrade is compared by its history the first time")
    func editedTwice() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.put("b", "2-bb", #"{"n":1}"#, "1-aa")
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
            let own = "ffffffffffffff@AAAAAAAAAAAAAAAAAAAAAA"
            let rows = #"[["a","\#(own)",""],["b","\#(own)",""]]"#
            let reply = try await peer.ask("proposeChanges", ["collection": "0", "conflictIncludesRev": "true"], rows)
            #expect(String(decoding: reply.body, as: UTF8.self) == "[]")
            let taken = try await peer.ask(Requests.rev("a", own, #"{"n":3}"#, history: "2-cc,1-aa", collection: 0))
            #expect(taken.type == .reply)
            let refused = try await peer.ask(Requests.rev("b", own, #"{"n":3}"#, history: "2-cc,1-aa", collection: 0))
            #expect(refused.errorCode == 409)
        }
        let histories = try await bridge.database.unified.read { snapshot in
            try ["a", "b"].map { try snapshot.document($0).map { $0.tree.history(of: $0.winner).dropFirst().map(\.text) } }
        }
        #expect(histories == [["1-aa"], ["1-aa"]])
        // The client keeps its own edit's ID, not that of the revision that was here.
        #expect(try await bridge.version(of: "a", known: ["ffffffffffffff@BBBBBBBBBBBBBBBBBBBBBA"]).legacy.map(\.text) == ["2-cc"])
    }

    @Test("An edit from before the upgrade that is proposed after the pull is requested, because the pull has omitted its parent")
    func proposedAfterPull() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
            try await peer.ask(Requests.rev("a", "9@AAAAAAAAAAAAAAAAAAAAAA", #"{"n":1}"#, collection: 0))
        }
        let first = try #require(try await bridge.database.unified.read { try $0.document("a")?.winner.modernAlias.text })
        let uuid = "00000000-0000-4000-8000-000000000002"
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": uuid], Self.names)
            await peer.configure { $0.known["0/a"] = ["2-bb", first] }
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors"])
            try await peer.wait { $0.caughtUp == 1 }
            #expect(await peer.norevs.map { $0["error"] } == ["410"])
            let reply = try await peer.ask(
                "proposeChanges", ["collection": "0", "conflictIncludesRev": "true"], #"[["a","2-bb",""]]"#)
            #expect(String(decoding: reply.body, as: UTF8.self) == "[]")
            try await peer.ask(Requests.rev("a", "2-bb", #"{"n":2}"#, history: first, collection: 0))
        }
        #expect(try await bridge.database.unified.read { try $0.document("a")?.winner.text } == "2-bb")
        // A revision that is no child is refused when it arrives, and so gets its history.
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": uuid], Self.names)
            let refused = try await peer.ask(Requests.rev("a", "3-cc", #"{"n":3}"#, history: "2-dd", collection: 0))
            #expect(refused.errorCode == 409)
        }
    }

    @Test(
        "A revision with a tree ID is stored and gets 409, and the pull sends its version, at any URL and over any connection",
        arguments: [true, false], [true, false])
    func revisionOfTree(isNew: Bool, isPushedApart: Bool) async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        if !isNew {
            try await bridge.connect(.v4) { peer in
                try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
                try await peer.ask("setCheckpoint", ["collection": "0", "client": "cp"], "{}")
            }
        }
        let edit = Requests.rev("a", "2-bb", #"{"n":2}"#, history: "1-aa", collection: 0)
        if isPushedApart {
            try await bridge.connect(.v4) { peer in
                try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
                #expect(try await peer.ask(edit).errorCode == 409)
            }
        }
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
            await peer.configure { $0.known["0/a"] = ["2-bb", "1-aa"] }
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors", "continuous": "true"])
            try await peer.wait { $0.caughtUp == 1 }
            if !isPushedApart { #expect(try await peer.ask(edit).errorCode == 409) }
            try await peer.wait { $0.revisions.contains { $0.properties["history"] == "2-bb" } }
        }
        #expect(try await bridge.database.unified.read { try $0.document("a")?.winner.text } == "2-bb")
    }

    @Test("A client that disconnects is not waited for")
    func leaves() async throws {
        var bridge = try await TestBridge()
        bridge.limits.timeToPull = .seconds(3_600)
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], Self.names)
            try await peer.send(
                .request("proposeChanges", properties: ["collection": "0"], body: Array(Self.proposal.utf8)))
            try await peer.ask("getCheckpoint", ["collection": "0", "client": "cp"])
        }
    }
}
