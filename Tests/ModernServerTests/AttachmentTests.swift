import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("Attachments", .timeLimit(.minutes(5)))
struct AttachmentTests {
    private static func bytes(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        var state = UInt64(seed) &+ 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    private static func count(_ profile: String, _ peer: TestPeer) async -> Int {
        await peer.requests.count { $0.profile == profile }
    }

    @Test("An attachment that was pushed is pulled unchanged", arguments: [1, 3, 16_384, 70_000, 1_000_000, 5_000_000], [true, false])
    func roundTrips(size: Int, isText: Bool) async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(size)
        let body = Requests.blob(blob, type: isText ? "text/plain" : "image/png")
        let digest = AttachmentDigest.sha1(of: blob).description
        try await bridge.connect { peer in
            await peer.configure { $0.blobs[digest] = blob }
            let reply = try await peer.ask(Requests.rev("a", "1-aaaa", body))
            #expect(reply.type == .reply)
            let asked = await peer.requests.first { $0.profile == "getAttachment" }
            #expect(asked?.properties["docID"] == "a" && asked?.properties.bool("compress") == isText)
        }
        try await bridge.connect { peer in
            try await peer.ask("subChanges")
            try await peer.wait { $0.revisions.count == 1 && $0.blobs.count == 1 }
            #expect(await peer.blobs[digest] == blob)
            let revision = await peer.revisions[0]
            #expect(!revision.noReply)
            let entry = try JSONValue(revision.body)["_attachments"]?["blob_/photo"]
            #expect(entry?["digest"]?.string == digest && entry?["length"]?.int == size && entry?["stub"]?.bool == true)
            #expect(entry?["revpos"]?.int == 1)
        }
    }

    @Test(
        "A stand-in that LiteCore cannot resolve gets a name that LiteCore drops, unless its attachment was changed",
        arguments: [
            (#"{"x/y":BLOB}"#, "blob_/x~1y", "blob_0/x~1y"),
            (#"{"deep":{"x~y":BLOB}}"#, "blob_/deep/x~0y", "blob_0/deep/x~0y"),
            (#"{"x~1y":BLOB}"#, "blob_/x~01y", "blob_0/x~01y"),
            (#"{"a~":[0,{"b":BLOB}]}"#, "blob_/a~0/1/b", "blob_0/a~0/1/b"),
            (#"{"\u00e9/":BLOB}"#, "blob_/\u{e9}~1", "blob_0/\u{e9}~1"),
            (#"{"":BLOB}"#, "blob_/", "blob_0/"),
            (#"{"list":[BLOB]}"#, "blob_/list/0", "blob_/list/0"),
            (#"{"x/y":{"digest":"DIGEST"}}"#, "blob_/x~1y", "blob_/x~1y"),
            (#"{"x/y":{"@type":"blob","digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="}}"#, "blob_/x~1y", "blob_/x~1y"),
            (#"{"z":BLOB}"#, "blob_/x~1y", "blob_/x~1y"),
            (#"{"z":BLOB}"#, "photo~.png", "photo~.png"),
        ])
    func namesStandIns(body: String, name: String, expected: String) async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(100)
        let digest = AttachmentDigest.sha1(of: blob).description
        let properties = body.replacing("BLOB", with: #"{"@type":"blob","length":100,"digest":"DIGEST"}"#)
            .replacing("DIGEST", with: digest)
        let entry = #"{"stub":true,"revpos":1,"length":100,"digest":"\#(digest)"}"#
        try await bridge.connect { peer in
            await peer.configure { $0.blobs[digest] = blob }
            let reply = try await peer.ask(
                Requests.rev("a", "1-aaaa", #"{"_attachments":{"\#(name)":\#(entry)},\#(properties.dropFirst())"#))
            #expect(reply.type == .reply)
        }
        for takesBlobsInPlace in [true, false] {
            try await bridge.connect { peer in
                await peer.configure { $0.takesBlobsInPlace = takesBlobsInPlace }
                try await peer.ask("subChanges")
                try await peer.wait { $0.revisions.count == 1 && $0.blobs.count == 1 }
                let attachments = try JSONValue(await peer.revisions[0].body)["_attachments"]
                #expect(attachments?.members?.count == 1)
                #expect(attachments?[takesBlobsInPlace ? expected : name]?["digest"]?.string == digest)
            }
        }
    }

    @Test("A client that names a stored attachment has to prove that it has the bytes, or to send them", arguments: [true, false])
    func proves(knowsHow: Bool) async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(100_000)
        let digest = AttachmentDigest.sha1(of: blob).description
        try await bridge.connect { peer in
            await peer.configure {
                $0.blobs[digest] = blob
                $0.provesAttachments = knowsHow
            }
            try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            let reply = try await peer.ask(Requests.rev("b", "1-aaaa", Requests.blob(blob)))
            #expect(reply.type == .reply)
            #expect(await Self.count("proveAttachment", peer) == 1)
            #expect(await Self.count("getAttachment", peer) == (knowsHow ? 1 : 2))
        }
    }

    @Test("A revision that keeps its attachment causes no request")
    func keeps() async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(100)
        try await bridge.connect { peer in
            await peer.configure { $0.blobs[AttachmentDigest.sha1(of: blob).description] = blob }
            try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            let reply = try await peer.ask(Requests.rev("a", "2-aaaa", Requests.blob(blob), history: "1-aaaa"))
            #expect(reply.type == .reply)
            #expect(await Self.count("getAttachment", peer) == 1)
            #expect(await Self.count("proveAttachment", peer) == 0)
        }
    }

    @Test("A wrong proof is refused with 403")
    func refusesWrongProof() async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(100)
        try await bridge.connect { peer in
            await peer.configure { $0.blobs[AttachmentDigest.sha1(of: blob).description] = blob }
            try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            await peer.configure { $0.corruptsAttachments = true }
            let reply = try await peer.ask(Requests.rev("b", "1-aaaa", Requests.blob(blob)))
            #expect(reply.errorCode == 403)
        }
    }

    @Test("Wrong bytes, a wrong length and a missing blob fail only their own revision")
    func refusesWrongBytes() async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(300_000)
        let digest = AttachmentDigest.sha1(of: blob).description
        try await bridge.connect { peer in
            let missing = try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            #expect(missing.errorDomain == "HTTP" && missing.errorCode == 404)
            await peer.configure { peer in
                peer.blobs[digest] = blob
                peer.corruptsAttachments = true
            }
            let corrupt = try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            #expect(corrupt.errorCode == 400)
            await peer.configure { $0.corruptsAttachments = false }
            for length in [1, 299_999, 300_001] {
                let wrong = try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob, length: length)))
                #expect(wrong.errorCode == 400)
            }
            let right = try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            #expect(right.type == .reply)
        }
    }

    @Test(
        "Invalid attachment metadata is refused with 400",
        arguments: [
            #"{"_attachments":[]}"#, #"{"_attachments":{"a":{}}}"#, #"{"_attachments":{"a":{"stub":true}}}"#,
            #"{"_attachments":{"a":{"stub":true,"digest":"x"}}}"#, #"{"_attachments":{"a":{"follows":true,"length":1}}}"#,
            #"{"_attachments":{"a":{"data":"%%%"}}}"#, #"{"_attachments":{"a":{"data":"YQ==","length":2}}}"#,
        ])
    func refusesMetadata(body: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let reply = try await peer.ask(Requests.rev("a", "1-aaaa", body))
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 400)
        }
    }

    @Test("Inline data is stored")
    func storesInlineData() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let reply = try await peer.ask(Requests.rev("a", "1-aaaa", #"{"_attachments":{"a":{"data":"aGVsbG8gd29ybGQ="}}}"#))
            #expect(reply.type == .reply)
            try await peer.ask("subChanges")
            try await peer.wait { $0.blobs.count == 1 }
            #expect(await peer.blobs["sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="] == Array("hello world".utf8))
        }
    }

    @Test("A client can fetch only attachments of a revision that is being sent to it")
    func guards() async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(1000)
        let digest = AttachmentDigest.sha1(of: blob).description
        try await bridge.connect { peer in
            await peer.configure { $0.blobs[digest] = blob }
            try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            let early = try await peer.ask("getAttachment", ["digest": digest, "docID": "a"])
            #expect(early.errorDomain == "HTTP" && early.errorCode == 403)
            await peer.configure { $0.answersRevisions = false }
            try await peer.ask("subChanges")
            try await peer.wait { $0.revisions.count == 1 }
            let other = try await peer.ask("getAttachment", ["digest": digest, "docID": "b"])
            #expect(other.errorCode == 403)
            let nameless = try await peer.ask("getAttachment", ["digest": digest])
            #expect(nameless.errorCode == 400)
            let bad = try await peer.ask("getAttachment", ["digest": "sha1-x", "docID": "a"])
            #expect(bad.errorCode == 400)
            let allowed = try await peer.ask("getAttachment", ["digest": digest, "docID": "a"])
            #expect(allowed.body == blob)
            let nonce = (0..<20).map { UInt8($0) }
            let proof = try await peer.ask(.request("proveAttachment", properties: ["digest": digest, "docID": "a"], body: nonce))
            #expect(proof.body == Array(AttachmentDigest.sha1(of: [20] + nonce + blob).description.utf8))
            let byDigest = try await peer.ask(.request("proveAttachment", properties: ["digest": digest], body: nonce))
            #expect(byDigest.body == proof.body)
            let empty = try await peer.ask("proveAttachment", ["digest": digest, "docID": "a"])
            #expect(empty.errorCode == 400)
            try await peer.answerRevision("a")
            let late = try await peer.ask("getAttachment", ["digest": digest, "docID": "a"])
            #expect(late.errorCode == 403)
        }
    }

    @Test("A version 2 client fetches an attachment by its digest alone")
    func servesVersion2() async throws {
        let bridge = try await TestBridge()
        let blob = Self.bytes(1000)
        let digest = AttachmentDigest.sha1(of: blob).description
        try await bridge.connect(.v2) { peer in
            await peer.configure { $0.blobs[digest] = blob }
            try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            let asked = await peer.requests.first { $0.profile == "getAttachment" }
            #expect(asked?.properties["docID"] == nil)
            await peer.configure { $0.answersRevisions = false }
            try await peer.ask("subChanges")
            try await peer.wait { $0.revisions.count == 1 }
            let got = try await peer.ask("getAttachment", ["digest": digest])
            #expect(got.body == blob)
        }
    }

    @Test("Many revisions with attachments arrive together with others without")
    func mixes() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            var requests: [BLIPMessage] = []
            for index in 0..<100 {
                let blob = Self.bytes(1000 + index, seed: UInt8(index))
                await peer.configure { $0.blobs[AttachmentDigest.sha1(of: blob).description] = blob }
                requests.append(Requests.rev("with\(index)", "1-aaaa", Requests.blob(blob)))
                requests.append(Requests.rev("without\(index)", "1-aaaa", "{}"))
            }
            let replies = try await peer.ask(all: requests)
            #expect(replies.allSatisfy { $0.type == .reply })
        }
    }
}
