import Documents
import Gateway
import Storage

/// What a document's revisions that are here, and that a client may see, say of its attachments.
struct KnownAttachments {
    private let snapshot: KeyspaceSnapshot

    /// Those of the nearest ancestor of the revision that comes in.
    private let inherited: [AttachmentMetadata]

    /// Those of all its revisions.
    private let held: [AttachmentMetadata]

    init(of write: RevisionWrite, in snapshot: KeyspaceSnapshot) throws {
        self.snapshot = snapshot
        let document = try snapshot.document(write.id, followingMoves: true)
        let ancestor = try document.flatMap { document in try write.ancestors.lazy.compactMap { try document.content(of: $0) }.first }
        inherited = try ancestor?.body.attachments.map { try AttachmentSet($0).entries } ?? []
        held = try inherited + (document?.attachments() ?? [])
    }

    /// By what the document has the attachment that a stub means.
    enum Match {
        case digest, name
    }

    /// By what the document has the attachment that a stub means; `nil` if it has not. A digest of which nobody has the bytes tells nothing.
    func match(_ stub: AttachmentMetadata) throws -> Match? {
        guard let digest = stub.digest, let record = try snapshot.attachment(digest) else {
            return held.contains { $0.name.utf8.elementsEqual(stub.name.utf8) } ? .name : nil
        }
        return held.contains { $0.digest == digest || $0.digest == record.digest } ? .digest : nil
    }

    /// Adds to a stub what it leaves out. Clients take `length` for granted, and give revisions up whose `revpos` cannot be.
    ///
    /// What depends on the bytes alone is right here whatever the stub says: they have its digest.
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
    /// The revisions that it follows, as far as its sender says, the newest first.
    fileprivate var ancestors: [RevisionID] {
        switch kind {
        case .replicated(let history, _): Array(history.dropFirst())
        case .versioned(let made): made.history.legacy
        case .edit(let parent): parent.map { [$0] } ?? []
        }
    }
}
