package import Documents
package import Gateway
package import Storage

/// What has to be done before a pushed revision with attachments can be written.
package struct AttachmentPlan: Sendable {
    /// An attachment whose bytes the client has to show or to send.
    package struct Task: Sendable {
        package let entry: AttachmentMetadata
        package let digest: AttachmentDigest

        /// The bytes as they are here, if they are: then the client has only to prove that it has them, too.
        package let stored: AttachmentRecord?
    }

    /// The revision with its attachments' metadata completed.
    package private(set) var write: RevisionWrite
    package private(set) var tasks: [Task] = []

    /// Compares the attachments that a revision names with those that the document has and those that are stored.
    ///
    /// - Throws: ``DocumentError`` if the metadata cannot be right.
    package init(_ write: RevisionWrite, in snapshot: KeyspaceSnapshot) throws {
        self.write = write
        guard let named = write.attachments, let origin = Self.origin(of: write) else { return }
        let document = try snapshot.document(write.id, followingMoves: true)
        let parent = try document.map { try Self.attachments(of: $0) } ?? AttachmentSet()
        let told = try AnnouncedAttachments(parent, in: snapshot)
        // Clients of version 4 say no `revpos`, which 1.x clients want.
        let generation = origin.generation ?? (document?.winner.generation ?? origin.before) + 1
        var attachments = try named.completed(generation: generation, parent: told.set, requiresRevpos: false)
        // What stays as the client was told of it stays as it is stored.
        let stored = Dictionary(zip(told.set.entries, told.stored)) { first, _ in first }
        attachments.entries = attachments.entries.map { stored[$0] ?? $0 }
        let known = Set(parent.entries.compactMap(\.digest))
        var digests: Set<AttachmentDigest> = []
        for (index, entry) in attachments.entries.enumerated() {
            switch entry.source {
            case .follows:
                throw DocumentError(
                    .badAttachment, "Invalid _attachments: \"\(entry.name)\": BLIP messages have no parts that could follow")
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

    /// The attachments that the document has now: the client has pulled them, or pushed them itself.
    private static func attachments(of document: DocumentView) throws -> AttachmentSet {
        guard let json = try document.content(of: document.winner)?.body.attachments else { return AttachmentSet() }
        return try AttachmentSet(json)
    }

    /// The generation that a pushed revision says that it has. One that comes without follows what has won, or is refused; a new document's
    /// follows what its database had `before` it was upgraded.
    private static func origin(of write: RevisionWrite) -> (generation: Int?, before: Int)? {
        switch write.kind {
        case .replicated(let history, _): (history.first?.generation ?? 1, 0)
        case .versioned(let made): (nil, made.history.legacy.first?.generation ?? 0)
        case .edit: nil
        }
    }
}
