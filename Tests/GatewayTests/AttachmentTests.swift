import Documents
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Attachments")
struct AttachmentTests {
    private let bytes = Array("hello attachment".utf8)

    private func stub(_ name: String, _ digest: AttachmentDigest?) -> AttachmentSet {
        AttachmentSet([AttachmentMetadata(name: name, digest: digest, length: 16, revpos: 1)])
    }

    @Test("An attachment is stored once, under its SHA-1 digest")
    func once() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        try await fixture.unified.push("a", "1-aa", attachments: stub("x", digest), bytes: [digest: bytes])
        try await fixture.unified.push("b", "1-aa", attachments: stub("y", digest), bytes: [digest: bytes])
        let (first, a) = try await fixture.unified.attachment(named: "x", of: "a", revision: .current)
        let (second, b) = try await fixture.unified.attachment(named: "y", of: "b", revision: .revision(revision("1-aa")))
        #expect(a == b)
        #expect(first.digest == digest && second.digest == digest)
        #expect(try await fixture.unified.bytes(of: a, from: 0, count: 100) == bytes)
        #expect(try await fixture.unified.bytes(of: a, from: 6, count: 3) == Array("att".utf8))
        #expect(try await fixture.unified.record("a").flags.contains(.attachments))
        #expect(try await fixture.store.check().attachments == 1)
        try await fixture.expectSound()
    }

    @Test("A stub whose bytes are stored is accepted, and the attachment belongs to every revision that names it")
    func known() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        try await fixture.unified.push("a", "1-aa", attachments: stub("x", digest), bytes: [digest: bytes])
        try await fixture.unified.push("b", "1-aa", attachments: stub("z", digest))
        #expect(try await fixture.unified.attachment(named: "z", of: "b", revision: .current).1.digest == digest)
        try await fixture.unified.push("b", "2-bb", "1-aa")
        #expect(try await !fixture.unified.record("b").flags.contains(.attachments))
        #expect(try await code { _ = try await fixture.unified.attachment(named: "z", of: "b", revision: .current) } == .notFound)
        try await fixture.expectSound()
    }

    @Test("A stub without a digest refers to the attachment of the same name in the parent")
    func inherited() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        try await fixture.unified.push("a", "1-aa", attachments: stub("x", digest), bytes: [digest: bytes])
        try await fixture.unified.push("a", "2-bb", "1-aa", attachments: stub("x", nil))
        #expect(try await fixture.unified.attachment(named: "x", of: "a", revision: .current).0.digest == digest)
        #expect(
            try await code { try await fixture.unified.push("a", "3-cc", "2-bb", attachments: self.stub("y", nil)) } == .missingAttachment)
        try await fixture.expectSound()
    }

    @Test("A stub whose digest was unknown when it was checked does not refer to bytes that are stored meanwhile")
    func lateBytes() async throws {
        let fixture = try await Fixture()
        let (digest, secret) = (AttachmentDigest.sha1(of: bytes), Array("somebody's secret".utf8))
        let late = AttachmentDigest.sha1(of: secret)
        try await fixture.unified.push("mine", "1-aa", attachments: stub("x", digest), bytes: [digest: bytes])
        try await fixture.unified.push("hers", "1-aa", attachments: stub("y", late), bytes: [late: secret])
        func write(_ id: String, _ history: [String], _ digest: AttachmentDigest) throws -> RevisionWrite {
            var write = RevisionWrite(
                id: id, kind: .replicated(history: try history.map { try Documents.RevisionID.of($0) }, conflicts: .branch),
                isDeleted: false,
                body: Array("{}".utf8), attachments: stub("x", digest))
            write.stubsByName = ["x"]
            return write
        }
        let refused = try await fixture.unified.write([write("mine", ["2-bb", "1-aa"], late)])
        #expect(try await code { _ = try refused.first?.get() } == .missingAttachment)
        // A digest that arrived with an earlier revision of the same request refers to the parent's attachment.
        let taken = try await fixture.unified.write([write("mine", ["2-cc", "1-aa"], digest)])
        #expect(throws: Never.self) { _ = try taken.first?.get() }
        #expect(try await fixture.unified.attachment(named: "x", of: "mine", revision: .current).1.digest == digest)
        try await fixture.expectSound()
    }

    @Test(
        "A stub cannot refer to an attachment that its writer may not see, neither an ancestor's nor another branch's",
        arguments: [nil, AttachmentDigest.Algorithm.md5], ["2-cc 1-aa", "4-yy 3-xx 2-xx 1-aa"])
    func unseen(algorithm: AttachmentDigest.Algorithm?, history: String) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.user("bert", channels: ["a", "b"])
        let (seen, secret) = (#"{"channels":["a"]}"#, #"{"channels":["b"]}"#)
        let digest = AttachmentDigest.sha1(of: bytes)
        let ids = history.split(separator: " ").map(String.init)
        for id in ["d", "e"] {
            let push = { (history: [String], body: String, set: AttachmentSet?) in
                _ = try await fixture.unified.write(
                    RevisionWrite(
                        id: id, kind: .replicated(history: try history.map { try revision($0) }, conflicts: .branch), isDeleted: false,
                        body: Array(body.utf8), attachments: set, attachmentBytes: [digest: bytes]))
            }
            try await push(["1-aa"], secret, stub("x", digest))
            try await push(["3-xx", "2-xx", "1-aa"], secret, stub("x", digest))
            try await push(["9-bb", "8-bb", "7-bb", "6-bb", "5-bb", "4-bb", "3-bb", "2-bb", "1-aa"], seen, nil)
        }
        var hasher = algorithm.map { AttachmentHasher($0) }
        hasher?.update(bytes)
        func write(_ id: String, by user: String) async throws {
            _ = try await fixture.unified.seen(by: user).write(
                RevisionWrite(
                    id: id, kind: .replicated(history: try ids.map { try revision($0) }, conflicts: .branch), isDeleted: false,
                    body: Array(seen.utf8), attachments: stub("x", hasher?.finish())))
        }
        #expect(try await code { try await write("d", by: "anna") } == .missingAttachment)
        #expect(try await code { try await write("e", by: "bert") } == nil)
        try await fixture.expectSound()
    }

    @Test("On a branch, a stub refers to the branch's attachment and not to the winner's of the same name", arguments: [nil, true, false])
    func inheritedOnBranch(md5: Bool?) async throws {
        let fixture = try await Fixture()
        let other = Array("other attachment".utf8)
        let (mine, winners) = (AttachmentDigest.sha1(of: bytes), AttachmentDigest.sha1(of: other))
        let unified = fixture.unified
        try await unified.push("a", "2-aa", "1-aa", attachments: stub("x", mine), bytes: [mine: bytes])
        try await unified.push("a", "2-bb", "1-aa", attachments: stub("x", winners), bytes: [winners: other])
        let digest: AttachmentDigest? = md5.map { $0 ? .md5(of: bytes) : mine }
        try await unified.push("a", "3-aa", "2-aa", "1-aa", attachments: stub("x", digest))
        #expect(try await unified.attachment(named: "x", of: "a", revision: .revision(revision("3-aa"))).0.digest == mine)
        _ = try await unified.edit("a", parent: "2-bb", attachments: stub("x", nil))
        let leaves = try await unified.read { try $0.document("a")?.tree.leaves.map(\.id) ?? [] }
        for leaf in leaves where leaf.text != "3-aa" {
            #expect(try await unified.attachment(named: "x", of: "a", revision: .revision(leaf)).0.digest == winners)
        }
        try await fixture.expectSound()
    }

    @Test("A stub with another attachment's MD5 does not refer to the attachment of the same name")
    func otherMD5() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        try await fixture.unified.push("a", "1-aa", attachments: stub("x", digest), bytes: [digest: bytes])
        let other = AttachmentDigest.md5(of: Array("other attachment".utf8))
        #expect(
            try await code { try await fixture.unified.push("a", "2-bb", "1-aa", attachments: self.stub("x", other)) } == .missingAttachment
        )
        try await fixture.unified.push("a", "2-cc", "1-aa", attachments: stub("x", .md5(of: bytes)))
        #expect(try await fixture.unified.attachment(.md5(of: bytes))?.digest == digest)
    }

    @Test("A stub of unknown bytes is refused, and nothing is written")
    func missing() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        let error = try await failure { try await fixture.unified.push("a", "1-aa", attachments: stub("x", digest)) }
        #expect(error.code == .missingAttachment)
        #expect(error.message.contains("x") && error.message.contains(digest.description))
        #expect(try await fixture.unified.feed() == [])
    }

    @Test("A stub with another digest than the parent's attachment does not refer to the old bytes")
    func changedBytes() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        try await fixture.unified.push("a", "1-aa", attachments: stub("x", digest), bytes: [digest: bytes])
        let other = AttachmentDigest.sha1(of: Array("other".utf8))
        #expect(
            try await code { try await fixture.unified.push("a", "2-bb", "1-aa", attachments: self.stub("x", other)) } == .missingAttachment
        )
        #expect(try await fixture.unified.current("a") == "1-aa {}")
    }

    @Test("An upload in pieces is stored as it arrives, and an MD5 becomes a second digest of the attachment")
    func upload() async throws {
        let fixture = try await Fixture()
        let large = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }
        let upload = fixture.unified.receiveAttachment(expecting: .md5(of: large))
        for start in stride(from: 0, to: large.count, by: 70_001) {
            try await upload.append(large[start..<min(start + 70_001, large.count)])
        }
        #expect(try await fixture.unified.attachment(.sha1(of: large)) == nil)
        let record = try await upload.finish()
        #expect(record.digest == .sha1(of: large))
        #expect(record.length == 400_000)
        #expect(try await fixture.unified.attachment(.md5(of: large)) == record)
        try await fixture.unified.push("a", "1-aa", attachments: stub("x", .md5(of: large)))
        #expect(try await fixture.unified.attachment(named: "x", of: "a", revision: .current).1 == record)
        #expect(try await fixture.unified.bytes(of: record, from: 131_070, count: 5) == Array(large[131_070..<131_075]))
        try await fixture.expectSound()
    }

    @Test("Bytes that do not match the sender's digest are refused and discarded", arguments: [true, false])
    func mismatch(md5: Bool) async throws {
        let fixture = try await Fixture()
        let upload = fixture.unified.receiveAttachment(expecting: md5 ? .md5(of: bytes) : .sha1(of: bytes))
        let other = Array("other".utf8)
        try await upload.append(other)
        #expect(try await code { _ = try await upload.finish() } == .digestMismatch)
        #expect(try await fixture.unified.attachment(.sha1(of: other)) == nil)
        #expect(try await fixture.unified.attachment(.sha1(of: bytes)) == nil)
        try await fixture.expectSound()
    }

    @Test("An empty attachment, and one that is already stored, have one record")
    func repeatedUpload() async throws {
        let fixture = try await Fixture()
        let empty = try await fixture.unified.receiveAttachment().finish()
        #expect(empty.length == 0)
        #expect(try await fixture.unified.receiveAttachment(expecting: .sha1(of: [])).finish() == empty)
        let first = fixture.unified.receiveAttachment()
        let second = fixture.unified.receiveAttachment()
        try await first.append(bytes)
        try await second.append(bytes)
        #expect(try await first.finish() == second.finish())
        let abandoned = fixture.unified.receiveAttachment()
        try await abandoned.append((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        try await abandoned.abandon()
        try await fixture.expectSound()
    }

    @Test("An attachment over the limit is refused with 413, in pieces and as a whole")
    func limit() async throws {
        let fixture = try await Fixture { $0.limits.attachmentSize = 10 }
        let upload = fixture.unified.receiveAttachment()
        #expect(try await code { try await upload.append(self.bytes) } == .tooLarge)
        try await upload.abandon()
        let digest = AttachmentDigest.sha1(of: bytes)
        #expect(
            try await code { try await fixture.unified.push("a", "1-aa", attachments: self.stub("x", digest), bytes: [digest: self.bytes]) }
                == .tooLarge)
    }

    @Test("When another branch becomes the winner, its feed row has that branch's attachment flag")
    func winnerChanges() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        try await fixture.unified.push("a", "2-aa", "1-aa", attachments: stub("x", digest), bytes: [digest: bytes])
        try await fixture.unified.push("a", "2-bb", "1-aa")
        #expect(try await !fixture.unified.record("a").flags.contains(.attachments))
        try await fixture.unified.push("a", "3-cc", "2-bb", deleted: true)
        #expect(try await fixture.unified.current("a") == "2-aa {}")
        #expect(try await fixture.unified.record("a").flags.contains(.attachments))
        try await fixture.expectSound()
    }

    @Test("Attachment names are compared by their bytes")
    func names() async throws {
        let fixture = try await Fixture()
        let (first, second) = (Array("1".utf8), Array("2".utf8))
        let set = AttachmentSet([
            AttachmentMetadata(name: "caf\u{e9}", digest: .sha1(of: first), length: 1, revpos: 1),
            AttachmentMetadata(name: "cafe\u{301}", digest: .sha1(of: second), length: 1, revpos: 1),
        ])
        try await fixture.unified.push("a", "1-aa", attachments: set, bytes: [.sha1(of: first): first, .sha1(of: second): second])
        #expect(try await fixture.unified.attachment(named: "caf\u{e9}", of: "a", revision: .current).0.digest == .sha1(of: first))
        #expect(try await fixture.unified.attachment(named: "cafe\u{301}", of: "a", revision: .current).0.digest == .sha1(of: second))
    }
}
