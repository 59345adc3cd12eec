import BLIP
import Documents
import Peers
import Testing

/// Documents that a client of one generation writes, and clients of both read, through the unified keyspace and through their collection.
@Suite("Documents between the generations")
struct RoundTripTests {
    /// A client, by its generation and the keyspace that it replicates with.
    enum Client: String, CaseIterable, Sendable {
        case legacy, legacyCollection, modern, modernCollection

        var isLegacy: Bool { self == .legacy || self == .legacyCollection }

        func push(_ revisions: [PeerRevision], to bridge: RunningBridge) async throws {
            switch self {
            case .legacy: try await LegacyPeer("\(bridge.url)/shop").push(revisions)
            case .legacyCollection: try await LegacyPeer("\(bridge.url)/shop.sales.orders").push(revisions)
            case .modern: try await ModernPeer("ws://127.0.0.1:\(bridge.port)/shop").replicate(push: ["": revisions], pull: false)
            case .modernCollection:
                try await ModernPeer("ws://127.0.0.1:\(bridge.port)/shop", collections: ["sales.orders"])
                    .replicate(push: ["sales.orders": revisions], pull: false)
            }
        }

        func pull(from bridge: RunningBridge) async throws -> [ExactString: PeerDocument] {
            switch self {
            case .legacy, .legacyCollection:
                let peer = LegacyPeer("\(bridge.url)/shop\(self == .legacy ? "" : ".sales.orders")")
                try await peer.pull()
                return await peer.documents
            case .modern, .modernCollection:
                let collections = self == .modern ? [] : ["sales.orders"]
                let peer = ModernPeer("ws://127.0.0.1:\(bridge.port)/shop", collections: collections)
                try await peer.replicate()
                return await peer.documents[collections.first ?? ""] ?? [:]
            }
        }
    }

    /// JSON with everything that a rewriting reader would lose; its type routes it to `sales.orders`.
    private static let members =
        #""z":1.0,"type":"order","a":1e400,"big":12345678901234567890,"minus":-0,"exp":1E+5,"long":0.10000000000000000000001,"#
        + #""escapes":"\u00e9\u00E9\ud83d\ude00\/\u0000é😀","nested":{"b":[1, 2.50 ,null,true],"a":{}},"":"","A":[],"\u006bey":1"#

    private static let history = ["3-cccc", "2-bbbb", "1-aaaa"].compactMap { RevisionID($0) }

    private static let attachments = [
        PeerRevision.Attachment(name: "one byte", contentType: "text/plain", bytes: [0x41]),
        PeerRevision.Attachment(
            name: "é/large.bin", contentType: "application/octet-stream", bytes: (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
    ]

    @Test("Bodies, revision IDs, ancestry and attachments arrive unchanged", arguments: Client.allCases)
    func documents(writer: Client) async throws {
        let ids = ["plain", "a/slash", "per%cent", "plus+and space", "é😀", String(repeating: "x", count: 200)]
        let revisions = ids.enumerated().map { index, id in
            PeerRevision(
                id: id, history: Self.history, body: Array("{\(Self.members)}".utf8), attachments: index == 0 ? Self.attachments : [])
        }
        try await RunningBridge.run { bridge in
            try await writer.push(revisions, to: bridge)
            for reader in Client.allCases {
                let found = try await reader.pull(from: bridge)
                #expect(found.count == ids.count, "\(reader)")
                for revision in revisions {
                    let document = try #require(found[ExactString(revision.id)], "\(reader) has no \(revision.id)")
                    #expect(document.revision == Self.history[0] && !document.isDeleted, "\(reader)")
                    #expect(document.body == (try JSONValue(revision.body)), "\(reader)")
                    let digests = revision.attachments.map { (ExactString($0.name), AttachmentDigest.sha1(of: $0.bytes)) }
                    #expect(document.attachments == Dictionary(uniqueKeysWithValues: digests), "\(reader)")
                }
            }
            for keyspace in ["shop", "shop.sales.orders"] {
                let text = try await bridge.ask("GET", "/\(keyspace)/a%2Fslash?revs=true").text
                #expect(text.contains(Self.members), "\(text)")
                #expect(text.contains(#""_revisions":{"start":3,"ids":["cccc","bbbb","aaaa"]}"#), "\(text)")
            }
            for collection in [nil, "sales.orders"] {
                let message = try #require(try await RawBLIP(bridge).pull(collection)["a/slash"])
                #expect(String(decoding: message.body, as: UTF8.self) == "{\(Self.members)}")
                #expect(message.properties["rev"] == "3-cccc" && message.properties["history"] == "2-bbbb,1-aaaa")
            }
            try await bridge.expectSound(after: "\(writer)")
        }
    }

    @Test("All clients see a tombstone, and the revisions that follow it", arguments: Client.allCases)
    func tombstones(writer: Client) async throws {
        @Sendable func revision(_ number: Int, isDeleted: Bool = false) -> PeerRevision {
            let history = (1...number).reversed().compactMap { RevisionID("\($0)-ab") }
            return PeerRevision(
                id: "d", history: history, isDeleted: isDeleted, body: Array((isDeleted ? "{}" : #"{"type":"order"}"#).utf8))
        }
        try await RunningBridge.run { bridge in
            try await writer.push([revision(1)], to: bridge)
            try await writer.push([revision(2, isDeleted: true)], to: bridge)
            let gone = try await bridge.ask("GET", "/shop/d")
            #expect(gone.status == 404 && gone.text.contains("deleted"), "\(gone.text)")
            #expect(try await bridge.ask("GET", "/shop/d?rev=2-ab").json["_deleted"]?.bool == true)
            #expect(try await bridge.ask("GET", "/shop/_changes").text.contains(#""deleted":true"#))
            for reader in Client.allCases {
                let document = try await reader.pull(from: bridge)["d"]
                // A client without the document may not get a tombstone; otherwise it gets this one.
                if let document { #expect(document.isDeleted && document.revision.text == "2-ab", "\(reader)") }
            }
            #expect(try await RawBLIP(bridge).pull()["d"]?.properties["deleted"] == "1")
            try await writer.push([revision(3)], to: bridge)
            for reader in Client.allCases {
                let document = try await reader.pull(from: bridge)["d"]
                #expect(document?.isDeleted == false && document?.revision.text == "3-ab", "\(reader)")
            }
            try await bridge.expectSound(after: "\(writer)")
        }
    }

    @Test("2.x+ clients see the winner of a conflict of 1.x clients, edit only that, and can resolve the conflict")
    func conflicts() async throws {
        try await RunningBridge.run { bridge in
            let bodies = ["2-bb", "2-cc"].map { revision in
                #"{"_id":"d","type":"order","by":"\#(revision)","_rev":"\#(revision)","_revisions":{"start":2,"ids":["\#(revision.dropFirst(2))","aa"]}}"#
            }
            let pushed = try await bridge.ask(
                "POST", "/shop/_bulk_docs", #"{"new_edits":false,"docs":[\#(bodies.joined(separator: ","))]}"#)
            #expect(pushed.status == 201)
            for reader in Client.allCases {
                #expect(try await reader.pull(from: bridge)["d"]?.revision.text == "2-cc", "\(reader)")
            }
            let blip = try await RawBLIP(bridge)
            let loser = try await blip.ask("proposeChanges", ["conflictIncludesRev": "true"], #"[["d","3-dd","2-bb",10]]"#)
            #expect(String(decoding: loser.body, as: UTF8.self) == #"[{"status":409,"rev":"2-cc"}]"#)
            let refused = try await blip.ask("rev", ["id": "d", "rev": "3-dd", "history": "2-bb,1-aa", "noconflicts": "1"], "{}")
            #expect(refused.errorDomain == "HTTP" && refused.errorCode == 409)
            let taken = try await blip.ask(
                "rev", ["id": "d", "rev": "3-dd", "history": "2-cc,1-aa", "noconflicts": "1"], #"{"type":"order"}"#)
            #expect(taken.type == .reply)
            #expect(try await bridge.ask("GET", "/shop/d?conflicts=true").text.contains(#""_conflicts":["2-bb"]"#))
            let leaves = try await bridge.ask("GET", "/shop/_changes?style=all_docs")
            #expect(leaves.text.contains(#""rev":"3-dd""#) && leaves.text.contains(#""rev":"2-bb""#), "\(leaves.text)")
            #expect(try await bridge.ask("DELETE", "/shop/d?rev=2-bb").status == 200)
            #expect(try await !bridge.ask("GET", "/shop/d?conflicts=true").text.contains("_conflicts"))
            for reader in Client.allCases {
                #expect(try await reader.pull(from: bridge)["d"]?.revision.text == "3-dd", "\(reader)")
            }
            try await bridge.expectSound(after: "a conflict")
        }
    }

    @Test("2.x+ clients see revision IDs that they cannot store by an alias, in every message")
    func foreignIDs() async throws {
        let foreign = ["2-ABC", "1-z"].compactMap { RevisionID($0) }
        let alias = foreign.map(\.modernAlias.text)
        try await RunningBridge.run { bridge in
            let revision = PeerRevision(
                id: "d", history: foreign, body: Array("{\(Self.members)}".utf8), attachments: Array(Self.attachments.prefix(1)))
            try await Client.legacy.push([revision], to: bridge)
            #expect(try await Client.legacyCollection.pull(from: bridge)["d"]?.revision == foreign[0])
            for reader in [Client.modern, .modernCollection] {
                let document = try await reader.pull(from: bridge)["d"]
                #expect(document?.revision.text == alias[0] && document?.attachments.count == 1, "\(reader)")
            }
            let blip = try await RawBLIP(bridge)
            #expect(try await blip.pull()["d"]?.properties["history"] == alias[1])
            // The client has it under its alias, and edits the revision of that name.
            let proposed = try await blip.ask("proposeChanges", [:], #"[["d","\#(alias[0])","",9],["d","3-dd","\#(alias[0])",9]]"#)
            #expect(String(decoding: proposed.body, as: UTF8.self) == "[304]")
            let child = try await blip.ask("rev", ["id": "d", "rev": "3-dd", "history": "\(alias[0]),\(alias[1])"], "{\(Self.members)}")
            #expect(child.type == .reply, "\(child)")
            let text = try await bridge.ask("GET", "/shop/d?revs=true").text
            #expect(text.contains(#""_revisions":{"start":3,"ids":["dd","ABC","z"]}"#), "\(text)")
            let known = try await bridge.ask("POST", "/shop/_revs_diff", #"{"d":["1-z","2-ABC","3-dd"]}"#)
            #expect(try known.json.members?.isEmpty == true, "\(known.text)")
            try await bridge.expectSound(after: "foreign IDs")
        }
    }

    @Test("An attachment stays through revisions of both generations, and goes with the first revision without it")
    func attachmentsStay() async throws {
        let digest = AttachmentDigest.sha1(of: [0x41])
        let stub = #"{"type":"order","_attachments":{"a":{"stub":true,"digest":"\#(digest)","length":1,"revpos":1,"content_type":"x/y"}}}"#
        try await RunningBridge.run { bridge in
            #expect(
                try await bridge.ask(
                    "PUT", "/shop/d?new_edits=false",
                    #"{"type":"order","_rev":"1-aa","_attachments":{"a":{"data":"QQ==","content_type":"x/y"}}}"#
                )
                .status == 201)
            let blip = try await RawBLIP(bridge)
            #expect(try await blip.ask("rev", ["id": "d", "rev": "2-bb", "history": "1-aa"], stub).type == .reply)
            let third = stub.replacing(#"{"type""#, with: #"{"_rev":"3-cc","_revisions":{"start":3,"ids":["cc","bb","aa"]},"type""#)
            #expect(try await bridge.ask("PUT", "/shop/d?new_edits=false", third).status == 201)
            for path in ["/shop/d/a", "/shop.sales.orders/d/a"] {
                let answer = try await bridge.ask("GET", path)
                #expect(answer.text == "A" && answer["Content-Type"] == "x/y", "\(answer.head)")
            }
            for reader in Client.allCases {
                #expect(try await reader.pull(from: bridge)["d"]?.attachments == ["a": digest], "\(reader)")
            }
            #expect(try await blip.ask("rev", ["id": "d", "rev": "4-dd", "history": "3-cc"], #"{"type":"order"}"#).type == .reply)
            #expect(try await bridge.ask("GET", "/shop/d/a").status == 404)
            try await bridge.expectSound(after: "revisions with attachments")
        }
    }
}
