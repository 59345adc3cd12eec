package import Documents
package import Gateway
package import Storage

/// The work that is needed before a pushed revision with attachments can be written.
package struct AttachmentPlan: Sendable {
    /// An attachment that the client has to send, or whose possession it has to prove.
    package struct Task: Sendable {
        package let entry: AttachmentMetadata
        package let digest: AttachmentDigest

        /// The stored attachment, if any: then the client only has to prove that it has the bytes too.
        package let stored: AttachmentRecord?
    }

    /// The revision with its attachments' metadata completed.
    package private(set) var write: RevisionWrite
    package private(set) var tasks: [Task] = []

    /// Compares the attachments of a revision with those of the document and of the store.
    ///
    /// - Throws: ``DocumentError`` if the metadata is invalid.
    package init(_ write: RevisionWrite, in snapshot: KeyspaceSnapshot) throws {
        self.write = write
        guard let named = write.attachments, let origin = Self.origin(of: write) else { return }
        let document = try snapshot.document(write.id, followingMoves: true)
        let parent = try document.map { try Self.attachments(of: $0) } ?? AttachmentSet()
        let announced = try AnnouncedAttachments(parent, in: snapshot)
        // Clients of version 4 send no `revpos`, which 1.x clients need.
        let generation = origin.generation ?? (document?.winner.generation ?? origin.before) + 1
        var attachments = try named.completed(generation: generation, parent: announced.set, requiresRevpos: false)
        // Entries that the client returns unchanged keep their stored form.
        let stored = Dictionary(zip(announced.set.entries, announced.stored)) { first, _ in first }
        attachments.entries = attachments.entries.map { stored[$0] ?? $0 }
        let known = Set(parent.entries.compactMap(\.digest))
        var digests: Set<AttachmentDigest> = []
        for (index, entry) in attachments.entries.enumerated() {
            switch entry.source {
            case .follows:
                throw DocumentError(
                    .badAttachment, "Invalid _attachments: \"\(entry.name)\": BLIP messages cannot have following parts")
            case .inline:
                guard let data = try entry.inlineData() else { continue }
                let digest = AttachmentDigest.sha1(of: data)
                self.write.attachmentBytes[digest] = data
                attachments.entries[index] = entry.stored(digest: digest, length: data.count)
            case .stub:
                guard let digest = entry.digest, !known.contains(digest), digests.insert(digest).inserted else { continue }
                tasks.append(Task(entry: entry, digest: digest, stored: try snapshot.attachment(digest)))
            }
        }
        self.write.attachments = attachments
    }

    /// The attachments of the document's winner: the client has pulled them, or pushed them itself.
    private static func attachments(of document: DocumentView) throws -> AttachmentSet {
        guard let json = try document.content(of: document.winner)?.body.attachments else { return AttachmentSet() }
        return try AttachmentSet(json)
    }

    /// The generation that a pushed revision states; `nil` for an edit.
    ///
    /// A versioned revision states no generation. It either descends from the winner or is refused. For a new document, its generation
    /// follows the one `before` the upgrade of the client's database.
    private static func origin(of write: RevisionWrite) -> (generation: Int?, before: Int)? {
        switch write.kind {
        case .replicated(let history, _): (history.first?.generation ?? 1, 0)
        case .versioned(let made): (nil, made.history.legacy.first?.generation ?? 0)
        case .edit: nil
        }
    }
}
