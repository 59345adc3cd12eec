import Documents
import Gateway
import Storage

/// The attachments of a document's stored revisions that a client may read.
struct KnownAttachments {
    private let snapshot: KeyspaceSnapshot

    /// The attachments of the new revision's nearest stored ancestor.
    private let inherited: [AttachmentMetadata]

    /// The attachments of all stored revisions.
    private let held: [AttachmentMetadata]

    init(of write: RevisionWrite, in snapshot: KeyspaceSnapshot) throws {
        self.snapshot = snapshot
        let document = try snapshot.document(write.id, followingMoves: true)
        let ancestor = try document.flatMap { document in try write.ancestors.lazy.compactMap { try document.content(of: $0) }.first }
        inherited = try ancestor?.body.attachments.map { try AttachmentSet($0).entries } ?? []
        held = try inherited + (document?.attachments() ?? [])
    }

    /// How a stub was matched with an attachment of the document.
    enum Match {
        case digest, name
    }

    /// Finds the document's attachment to which a stub refers; `nil` if there is none. A digest without stored bytes is ignored.
    func match(_ stub: AttachmentMetadata) throws -> Match? {
        guard let digest = stub.digest, let record = try snapshot.attachment(digest) else {
            return held.contains { $0.name.utf8.elementsEqual(stub.name.utf8) } ? .name : nil
        }
        return held.contains { $0.digest == digest || $0.digest == record.digest } ? .digest : nil
    }

    /// Adds the members that a stub omits. Clients require `length`, and drop revisions with an invalid `revpos`.
    ///
    /// Members that depend only on the bytes override those of the stub, because the digests are equal.
    func complete(_ stub: inout AttachmentMetadata, of write: RevisionWrite) throws {
        guard let digest = stub.digest, let record = try snapshot.attachment(digest) else { return }
        let name = stub.name
        func isMeant(_ entry: AttachmentMetadata) -> Bool {
            entry.name.utf8.elementsEqual(name.utf8) && (entry.digest == digest || entry.digest == record.digest)
        }
        let parent = inherited.first(where: isMeant)
        let known = parent ?? held.first(where: isMeant)
        if let known { (stub.encoding, stub.length) = (known.encoding, known.length ?? stub.length) }
        if stub.encoding == nil { stub.length = Int(record.length) }
        stub.encodedLength = stub.encoding == nil ? nil : Int(record.length)
        guard let known else { return }
        stub.contentType = stub.contentType ?? known.contentType
        if stub.otherMembers.isEmpty { stub.otherMembers = known.otherMembers }
        let isPossible = stub.revpos.map { 1...max(1, write.generation) ~= $0 } ?? false
        if parent != nil || !isPossible { stub.revpos = known.revpos ?? stub.revpos }
    }
}

extension RevisionWrite {
    /// The revision's ancestors as far as the client names them, newest first.
    fileprivate var ancestors: [RevisionID] {
        switch kind {
        case .replicated(let history, _): Array(history.dropFirst())
        case .versioned(let made): made.history.legacy
        case .edit(let parent): parent.map { [$0] } ?? []
        }
    }
}
