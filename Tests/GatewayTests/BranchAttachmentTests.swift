import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Attachments that come from another branch")
struct BranchAttachmentTests {
    private let bytes = Array("a photo".utf8)

    /// The revpos of the winner's attachment.
    private func position(_ fixture: Fixture) async throws -> Int? {
        try await fixture.unified.read { snapshot in
            let document = try #require(try snapshot.document("a"))
            return try document.content(of: document.winner)?.body.attachments.flatMap { try AttachmentSet($0)["photo"]?.revpos }
        }
    }

    @Test("They get a revpos of the revision that brings them, so that a client with the parent receives them")
    func brought() async throws {
        let fixture = try await Fixture()
        let digest = AttachmentDigest.sha1(of: bytes)
        let photo = AttachmentSet([AttachmentMetadata(name: "photo", digest: digest, length: bytes.count, revpos: 1)])
        try await fixture.unified.push("a", "1-bb")
        try await fixture.unified.push("a", "1-aa", attachments: photo, bytes: [digest: bytes])
        // A resolution of both: the content of one branch, as a child of the other.
        try await fixture.unified.push("a", "2-cc", "1-bb", attachments: photo)
        #expect(try await position(fixture) == 2)
        // Attachments of the parent keep their revpos, also after revisions that were never here.
        try await fixture.unified.push("a", "5-dd", "4-cc", "3-cc", "2-cc", attachments: AttachmentSet([photo.entries[0].at(2)]))
        #expect(try await position(fixture) == 2)
        try await fixture.expectSound()
    }

    @Test("An attachment with another digest of the same bytes is not from another branch, and keeps its revpos")
    func sameBytes() async throws {
        let fixture = try await Fixture()
        // CouchDB has the MD5 of the bytes that it has compressed.
        let (digest, alias) = (AttachmentDigest.sha1(of: bytes), try #require(AttachmentDigest("md5-+gp11CdpaeZyDCL3rA0x4Q==")))
        let photo = AttachmentMetadata(name: "photo", digest: digest, length: bytes.count, revpos: 1)
        try await fixture.unified.push("a", "1-aa", attachments: AttachmentSet([photo]), bytes: [digest: bytes])
        try await fixture.unified.store.write { transaction in
            try transaction.addAlias(alias, for: try #require(try transaction.attachment(digest)))
        }
        var other = photo
        other.digest = alias
        try await fixture.unified.push("a", "7-bb", "6-cc", "1-aa", attachments: AttachmentSet([other]))
        #expect(try await position(fixture) == 1)
    }
}

extension AttachmentMetadata {
    fileprivate func at(_ revpos: Int) -> AttachmentMetadata {
        var copy = self
        copy.revpos = revpos
        return copy
    }
}
