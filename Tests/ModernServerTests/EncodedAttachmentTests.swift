import BLIP
import Compression
import Documents
import Gateway
import HTTP
import ModernProtocol
import ModernTestSupport
import NIOCore
import Storage
import Testing

/// Attachments that 1.x clients have compressed, as CouchDB stores texts: `encoding: gzip`, and the digest is that of the compressed bytes.
@Suite("Compressed attachments", .timeLimit(.minutes(5)))
struct EncodedAttachmentTests {
    private static let text = Array(String(repeating: "What is in it is text. ", count: 20_000).utf8)
    private static let digest = AttachmentDigest.sha1(of: text)

    private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        var output = ByteBuffer()
        let deflater = try Deflater()
        bytes.withUnsafeBytes { deflater.write($0, flush: .finish, to: &output) }
        return Array(output.readableBytesView)
    }

    /// Writes a document with a compressed attachment and a plain one, as a pull over 1.x does.
    ///
    /// - Returns: The digest of the compressed attachment as stored.
    private func write(
        _ stored: [UInt8], length: Int = text.count, to bridge: TestBridge
    ) async throws -> AttachmentDigest {
        let digest = AttachmentDigest.sha1(of: stored), plain = AttachmentDigest.sha1(of: [1, 2, 3])
        let set = AttachmentSet([
            AttachmentMetadata(
                name: "text", digest: digest, length: length, revpos: 1, contentType: "text/plain", encoding: "gzip",
                encodedLength: stored.count),
            AttachmentMetadata(name: "plain", digest: plain, length: 3, revpos: 1),
        ])
        let write = RevisionWrite(
            id: "a", kind: .replicated(history: [try #require(RevisionID("1-aaaa"))], conflicts: .branch), isDeleted: false,
            body: Array(#"{"n":1}"#.utf8), attachments: set, attachmentBytes: [digest: stored, plain: [1, 2, 3]])
        _ = try await bridge.database.unified.write(write)
        return digest
    }

    private func entry(_ name: String, _ bridge: TestBridge) async throws -> AttachmentMetadata? {
        let content = try await bridge.database.unified.revision(.current, of: "a")
        return try AttachmentSet(content.body.attachments ?? [])[name]
    }

    @Test("A client gets the decoded content with its digest and length", arguments: [Subprotocol.v2, .v3])
    func decoded(_ subprotocol: Subprotocol) async throws {
        let bridge = try await TestBridge()
        let stored = try await write(try Self.gzip(Self.text), to: bridge)
        try await bridge.connect(subprotocol) { peer in
            try await peer.ask("subChanges")
            try await peer.wait { $0.revisions.count == 1 && $0.blobs.count == 2 }
            #expect(await peer.blobs[Self.digest.description] == Self.text)
            #expect(await peer.blobs[stored.description] == nil)
            let entry = try JSONValue(await peer.revisions[0].body)["_attachments"]?["text"]
            #expect(entry?["digest"]?.string == Self.digest.description && entry?["length"]?.int == Self.text.count)
            #expect(entry?["encoding"] == nil && entry?["encoded_length"] == nil && entry?["content_type"]?.string == "text/plain")
        }
        #expect(try await entry("text", bridge)?.digest == stored)
    }

    @Test("A client's edit causes no request for the attachment, which stays compressed for 1.x")
    func stays() async throws {
        let bridge = try await TestBridge()
        let stored = try await write(try Self.gzip(Self.text), to: bridge)
        try await bridge.connect { peer in
            let named = #""text":{"stub":true,"revpos":1,"length":\#(Self.text.count),"digest":"\#(Self.digest)"}"#
            let plain = #""plain":{"stub":true,"revpos":1,"length":3,"digest":"\#(AttachmentDigest.sha1(of: [1, 2, 3]))"}"#
            let body = #"{"n":2,"_attachments":{\#(named),\#(plain)}}"#
            let reply = try await peer.ask(Requests.rev("a", "2-aaaa", body, history: "1-aaaa"))
            #expect(reply.type == .reply)
            #expect(await peer.requests.contains { $0.profile == "getAttachment" || $0.profile == "proveAttachment" } == false)
        }
        let entry = try await entry("text", bridge)
        #expect(entry?.digest == stored && entry?.encoding == "gzip" && entry?.length == Self.text.count && entry?.revpos == 1)
    }

    @Test("Bytes that do not match their entry are sent as stored")
    func damaged() async throws {
        let whole = try Self.gzip(Self.text)
        let faulty: [([UInt8], Int)] = [
            (Array("plain text".utf8), 10), (Array(whole.dropLast(20)), Self.text.count), (whole + [0], Self.text.count),
            (whole, Self.text.count - 1), (whole, Self.text.count + 1), ([], 0),
        ]
        for (bytes, length) in faulty {
            let bridge = try await TestBridge()
            let stored = try await write(bytes, length: length, to: bridge)
            try await bridge.connect { peer in
                try await peer.ask("subChanges")
                try await peer.wait { $0.revisions.count == 1 && $0.blobs.count == 2 }
                #expect(await peer.blobs[stored.description] == bytes)
                let entry = try JSONValue(await peer.revisions[0].body)["_attachments"]?["text"]
                #expect(entry?["encoding"]?.string == "gzip" && entry?["digest"]?.string == stored.description)
            }
        }
    }
}
