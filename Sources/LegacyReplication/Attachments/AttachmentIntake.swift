import Access
import Documents
import Gateway
import Storage

/// Takes in the attachments that come with a revision, and puts them into its write.
struct AttachmentIntake: Sendable {
    let keyspace: Keyspace
    let limits: LegacyLimits

    /// Fills in `attachments` of the write.
    ///
    /// - Parameters:
    ///   - json: `_attachments` as it came; `nil` if it did not.
    ///   - parts: what came behind the document, for the entries that follow.
    /// - Throws: ``LegacyError`` or `DocumentError` for bad base64, a digest or length that does not match, or bytes that did not come.
    func take(_ json: [UInt8]?, parts: [ReceivedAttachment] = [], into write: inout RevisionWrite) async throws {
        guard let json else {
            guard parts.isEmpty else { throw Self.superfluous }
            return
        }
        var set = try AttachmentSet(json)
        try await checkStubs(of: set, in: write)
        try AttachmentMatcher.match(&set, with: parts)
        for index in set.entries.indices {
            if !write.isReplicated { set.entries[index].renewIfInline() }
            complete(&set.entries[index], of: write)
            guard let data = try set.entries[index].inlineData() else { continue }
            let digest = try await keep(data, named: set.entries[index].digest, for: &write)
            set.entries[index] = set.entries[index].stored(digest: digest, length: data.count)
        }
        write.attachments = set
    }

    /// A stub stands for an attachment that the document has already. Of other documents, and of those that the client may not see, it brings none:
    /// else whoever knows a digest could have the bytes.
    ///
    /// - Throws: ``LegacyError`` `missingStub`: CouchDB's replicator sends the bytes along then.
    private func checkStubs(of set: AttachmentSet, in write: RevisionWrite) async throws {
        let stubs = set.entries.filter { $0.source == .stub }
        guard !stubs.isEmpty, !keyspace.principal.isAdministrator else { return }
        let id = write.id
        let missing = try await keyspace.read { snapshot in
            let held = try snapshot.document(id, followingMoves: true)?.attachments() ?? []
            let digests = Set(held.compactMap(\.digest))
            return try stubs.first { stub in
                guard let digest = stub.digest, let known = try snapshot.attachment(digest) else {
                    return !held.contains { $0.name.utf8.elementsEqual(stub.name.utf8) }
                }
                return !digests.contains(digest) && !digests.contains(known.digest)
            }
        }
        if let missing {
            throw LegacyError(
                .missingStub, "The attachment \"\(missing.name)\" of \(id) is a stub, but \(id) does not have it; send its bytes along")
        }
    }

    /// Small ones are written with the revision, large ones before it, in parts.
    private func keep(_ data: [UInt8], named name: AttachmentDigest?, for write: inout RevisionWrite) async throws -> AttachmentDigest {
        guard data.count > limits.bufferedAttachmentSize else {
            let digest = AttachmentDigest.sha1(of: data)
            write.attachmentBytes[digest] = data
            return digest
        }
        let upload = keyspace.receiveAttachment(expecting: name)
        try await upload.append(data)
        return try await upload.finish().digest
    }

    /// Sees to `revpos`, which tells readers whether they have the bytes already.
    ///
    /// CouchDB has 0 for what came to it without one, and sends stubs of that where nobody has the bytes: it sends these along once it hears that
    /// they are missing.
    private func complete(_ entry: inout AttachmentMetadata, of write: RevisionWrite) {
        if let revpos = entry.revpos, revpos < 1 { entry.revpos = nil }
        if entry.source == .stub, entry.revpos != nil || !write.isReplicated { return }
        if let revpos = entry.revpos, 1...write.generation ~= revpos { return }
        entry.revpos = write.generation
    }

    static let superfluous = LegacyError(
        .badRequest, "The body has more parts than attachments that follow: each part needs an entry with follows")
}

extension AttachmentMetadata {
    /// Forgets what an entry with new bytes says of older ones: who edits a document sends back what he has read, with the bytes replaced.
    ///
    /// Sync Gateway and CouchDB describe such bytes anew, too. Replicators describe the bytes that they send, so theirs are compared.
    fileprivate mutating func renewIfInline() {
        guard case .inline = source else { return }
        self = AttachmentMetadata(name: name, contentType: contentType, encoding: encoding, encodedLength: encodedLength, source: source)
    }
}
