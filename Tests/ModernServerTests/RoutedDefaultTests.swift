import Access
import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("An app that changes from the default collection to named collections", .timeLimit(.minutes(5)))
struct RoutedDefaultTests {
    private static let orders = CollectionName(scope: "sales", name: "orders")
    private static let order = #"{"type":"order"}"#

    /// Documents that a route placed elsewhere when they were written.
    private func bridge() async throws -> TestBridge {
        let bridge = try await TestBridge {
            $0.defaultCollection = .remainder
            $0.routes = [Route(to: Self.orders, when: .property(name: "type", equals: .string("order")))]
        }
        for id in ["o0", "o1", "o2", "o3"] { try await bridge.put(id, "1-aa", Self.order) }
        try await bridge.put("n", "1-aa", "{}")
        return bridge
    }

    private func propose(_ peer: TestPeer, _ rows: String) async throws -> String {
        let reply = try await peer.ask("proposeChanges", ["collection": "0", "conflictIncludesRev": "true"], rows)
        return String(decoding: reply.body, as: UTF8.self)
    }

    private func ids(_ bridge: TestBridge) async throws -> [String] {
        try await bridge.database.unified.changes(ChangesQuery()).rows.filter { !$0.isDeleted }.map(\.id).sorted()
    }

    @Test("The app's copies are recognised, and its offline edits and deletions apply to the documents where they are now")
    func recognized() async throws {
        let bridge = try await bridge()
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#)
            let rows = #"[["o0","1-aa",""],["o1","2-bb","1-aa"],["o2","2-cc","1-aa"],["o3","1-dd",""],["n","1-aa",""]]"#
            #expect(try await propose(peer, rows) == "[304,0,0,0,304]")
            let edit = try await peer.ask(
                Requests.rev("o1", "2-bb", #"{"type":"order","n":1}"#, history: "1-aa", collection: 0))
            #expect(edit.type == .reply)
            let deletion = Requests.rev("o2", "2-cc", "{}", history: "1-aa", deleted: true, collection: 0)
            #expect(try await peer.ask(deletion).type == .reply)
            // An unrelated document with the same ID is a document of its own.
            #expect(try await peer.ask(Requests.rev("o3", "1-dd", "{}", collection: 0)).type == .reply)
        }
        #expect(try await ids(bridge) == ["default::o3", "n", "o0", "o1", "o3"])
        let orders = try #require(bridge.database.keyspace(Self.orders))
        let winners = try await orders.read { snapshot in try ["o0", "o1", "o2", "o3"].map { try snapshot.document($0)?.winner.text } }
        #expect(winners == ["1-aa", "2-bb", "2-cc", "1-aa"])
    }

    /// A document that came to the collection by its name, not by a route.
    private func addByName(_ bridge: TestBridge) async throws {
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["other"],"collections":["sales.orders"]}"#)
            #expect(try await peer.ask(Requests.rev("o4", "1-aa", Self.order, collection: 0)).type == .reply)
        }
    }

    @Test("Documents with one ID and content in two collections stay two, and so does a document that was moved back")
    func twins() async throws {
        let bridge = try await bridge()
        try await addByName(bridge)
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#)
            #expect(try await propose(peer, #"[["o4","1-aa",""]]"#) == "[]")
            #expect(try await peer.ask(Requests.rev("o4", "1-aa", Self.order, collection: 0)).type == .reply)
            let edit = Requests.rev("o4", "2-bb", #"{"type":"order","n":1}"#, history: "1-aa", collection: 0)
            #expect(try await peer.ask(edit).type == .reply)
        }
        #expect(try await ids(bridge) == ["default::o4", "n", "o0", "o1", "o2", "o3", "o4"])
        for (name, winner) in [(CollectionName.default, "2-bb"), (Self.orders, "1-aa")] {
            let keyspace = try #require(bridge.database.keyspace(name))
            #expect(try await keyspace.read { snapshot in try snapshot.document("o4")?.winner.text } == winner)
        }
    }

    @Test("The copy of a document that was never in the default collection is recognised if the app has replicated the unified keyspace")
    func wasUnified() async throws {
        let bridge = try await bridge()
        try await addByName(bridge)
        try await bridge.connect { peer in
            try await peer.ask("setCheckpoint", ["client": "cp"], #"{"remote":"7"}"#)
        }
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#)
            #expect(try await propose(peer, #"[["o4","1-aa",""]]"#) == "[304]")
        }
        #expect(try await ids(bridge) == ["n", "o0", "o1", "o2", "o3", "o4"])
    }

    /// The app has created `o3`, has a conflict with the bridge's document, and gains collections before it is resolved.
    @Test("A conflict of the unified keyspace stays one; a document that the app creates later is one of its own")
    func openConflict() async throws {
        let bridge = try await bridge()
        try await bridge.connect { peer in
            #expect(try await peer.ask(Requests.rev("o3", "1-dd", Self.order)).errorCode == 409)
            try await peer.ask("setCheckpoint", ["client": "cp"], #"{"local":1}"#)
        }
        let names = #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], names)
            #expect(try await propose(peer, #"[["o3","1-dd",""]]"#) == "[]")
            #expect(try await peer.ask(Requests.rev("o3", "1-dd", Self.order, collection: 0)).errorCode == 409)
            // The pull brings the other side, and the app resolves the conflict.
            try await peer.ask("subChanges", ["collection": "0"])
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 2 }
            #expect(await peer.revisions.map(\.id).sorted() == ["n", "o3"])
            let resolved = Requests.rev("o3", "2-dd", Self.order, history: "1-aa", collection: 0)
            #expect(try await peer.ask(resolved).type == .reply)
            try await peer.ask("setCheckpoint", ["client": "cp", "collection": "0"], #"{"local":2}"#)
        }
        #expect(try await ids(bridge) == ["n", "o0", "o1", "o2", "o3"])
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], names)
            #expect(try await peer.ask(Requests.rev("o2", "1-dd", "{}", collection: 0)).type == .reply)
        }
        #expect(try await ids(bridge) == ["default::o2", "n", "o0", "o1", "o2", "o3"])
    }

    @Test(
        "A document of the default collection with a qualified legacy ID is recognised under that ID, at another URL as well",
        arguments: [true, false])
    func qualified(hasCheckpoint: Bool) async throws {
        let bridge = try await bridge()
        try await addByName(bridge)
        // The legacy ID `o4` is in use, so this document has `default::o4`.
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["twin"],"collections":["_default"]}"#)
            #expect(try await peer.ask(Requests.rev("o4", "1-aa", Self.order, collection: 0)).type == .reply)
        }
        if hasCheckpoint {
            try await bridge.connect { peer in
                try await peer.ask("setCheckpoint", ["client": "cp"], #"{"remote":"7"}"#)
            }
        }
        try await bridge.connect { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#)
            #expect(try await propose(peer, #"[["default::o4","1-aa",""]]"#) == "[304]")
            let edit = Requests.rev("default::o4", "2-bb", #"{"type":"order","n":1}"#, history: "1-aa", collection: 0)
            #expect(try await peer.ask(edit).type == .reply)
        }
        #expect(try await ids(bridge) == ["default::o4", "n", "o0", "o1", "o2", "o3", "o4"])
        for (name, winner) in [(CollectionName.default, "2-bb"), (Self.orders, "1-aa")] {
            let keyspace = try #require(bridge.database.keyspace(name))
            #expect(try await keyspace.read { snapshot in try snapshot.document("o4")?.winner.text } == winner)
        }
    }

    @Test("A document that a user wrote into channels without access is requested, and is recognised", arguments: [true, false])
    func unseen(isEdited: Bool) async throws {
        let bridge = try await bridge()
        var change = AccountChange()
        change.channels = ["mine"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        let body = #"{"type":"order","channels":["office"]}"#
        try await bridge.connect(as: .user("anna")) { peer in
            let written = try await peer.ask(Requests.rev("o5", "1-ee", body))
            #expect(written.type == .reply)
        }
        try await bridge.connect(as: .user("anna")) { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#)
            let revision = isEdited ? "2-ff" : "1-ee"
            let wanted = try await propose(peer, #"[["o5","\#(revision)",""]]"#)
            #expect(wanted == "[]")
            let written = try await peer.ask(Requests.rev("o5", revision, body, history: isEdited ? "1-ee" : "", collection: 0))
            #expect(written.type == .reply)
        }
        #expect(try await ids(bridge) == ["n", "o0", "o1", "o2", "o3", "o5"])
        let orders = try #require(bridge.database.keyspace(Self.orders))
        let winner = try await orders.read { snapshot in try snapshot.document("o5")?.winner.text }
        #expect(winner == (isEdited ? "2-ff" : "1-ee"))
    }

    @Test("Edits whose proposals name no parent are recognised when they arrive", arguments: [Subprotocol.v3, .v4])
    func recognizedByHistory(subprotocol: Subprotocol) async throws {
        let bridge = try await bridge()
        let rows = try await bridge.database.unified.changes(ChangesQuery()).rows
        let versions = try await bridge.database.unified.versions(of: rows)
        let hasVersions = subprotocol == .v4
        let known = Dictionary(
            uniqueKeysWithValues: zip(rows.map(\.id), versions.map { hasVersions ? $0?.current.description ?? "" : "1-aa" }))
        let edited = hasVersions ? "ffffffffffffff@AAAAAAAAAAAAAAAAAAAAAA" : "2-bb"
        // Another client has edited it since: that edit conflicts, and is sent by the pull.
        try await bridge.put("o3", "2-cc", Self.order, "1-aa")
        try await bridge.connect(subprotocol) { peer in
            try await peer.ask(
                "getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#
            )
            #expect(try await propose(peer, #"[["o1","\#(edited)",""],["o2","\#(edited)",""],["o3","\#(edited)",""]]"#) == "[]")
            for id in ["o1", "o2", "o3"] {
                let history = known[id] ?? ""
                let reply = try await peer.ask(
                    Requests.rev(id, edited, id == "o2" ? "{}" : Self.order, history: history, deleted: id == "o2", collection: 0))
                #expect(reply.errorCode == (id == "o3" ? 409 : nil))
            }
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors"])
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == $0.wanted }
            #expect(await peer.revisions.map(\.id).sorted() == ["n", "o3"])
        }
        #expect(try await ids(bridge) == ["n", "o0", "o1", "o3"])
        let orders = try #require(bridge.database.keyspace(Self.orders))
        let generations = try await orders.read { snapshot in try ["o1", "o2", "o3"].map { try snapshot.document($0)?.winner.generation } }
        #expect(generations == [2, 2, 2])
    }

    @Test("A 4.x client's copies are recognised by their versions, edited since or not")
    func versions() async throws {
        let bridge = try await bridge()
        let rows = try await bridge.database.unified.changes(ChangesQuery()).rows
        let versions = try await bridge.database.unified.versions(of: rows)
        let known = Dictionary(uniqueKeysWithValues: zip(rows.map(\.id), versions.map { $0?.current.description ?? "" }))
        // Another client has edited it since.
        try await bridge.put("o1", "2-bb", Self.order, "1-aa")
        let own = "AAAAAAAAAAAAAAAAAAAAAA"
        try await bridge.connect(.v4) { peer in
            try await peer.ask(
                "getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#
            )
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors"])
            try await peer.wait { $0.caughtUp == 1 }
            let (o0, o1, o2) = (known["o0"] ?? "", known["o1"] ?? "", known["o2"] ?? "")
            let rows = #"[["o0","\#(o0)",""],["o1","f@\#(own)","\#(o1)"],["o2","f@\#(own)","\#(o2)"],["o3","f@\#(own)",""]]"#
            let answers = try JSONValue(Array(try await propose(peer, rows).utf8)).array ?? []
            // Zeros at the end are omitted: the last two are wanted.
            #expect(answers.count == 2 && answers.first == .number("304") && answers.last?["status"]?.int == 409)
            let edit = try await peer.ask(Requests.rev("o2", "f@\(own)", Self.order, history: o2, collection: 0))
            #expect(edit.type == .reply)
        }
        #expect(try await ids(bridge) == ["n", "o0", "o1", "o2", "o3"])
    }
}
