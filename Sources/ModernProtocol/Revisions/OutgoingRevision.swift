package import BLIP
package import Documents
package import Gateway
package import Storage

/// A revision that is ready to be sent, or the word that there is none (`norev`).
package struct OutgoingRevision: Sendable {
    package let id: String
    package let message: BLIPMessage

    /// The attachments that the client may ask for.
    package let attachments: [SentAttachment]

    /// Whether the feed waits until the client has stored it.
    package var isConfirmed = false

    /// The document whose current revision is to take the place of the one asked for, and has no version yet by which this client could know it.
    package var unversioned: DocumentKey?

    /// How much shorter than the body the delta is that goes in its place; `nil` if the body is whole.
    package var savedBytes: Int?

    package init(
        id: String, message: BLIPMessage, attachments: [SentAttachment], isConfirmed: Bool = false, unversioned: DocumentKey? = nil,
        savedBytes: Int? = nil
    ) {
        self.id = id
        self.message = message
        self.attachments = attachments
        self.isConfirmed = isConfirmed
        self.unversioned = unversioned
        self.savedBytes = savedBytes
    }
}

/// A revision's body as the difference from one that the peer has (docs/protocol/modern-2x.md#deltas).
package struct OutgoingDelta: Sendable {
    /// A smaller body is sent whole, as by LiteCore.
    private static let minimumBody = 200

    /// Only so many of the revisions that the peer has are looked at.
    private static let candidates = 3

    /// The revision that it builds on, by the peer's name for it.
    package let source: RevisionName
    package let body: [UInt8]

    /// What a peer has already, by another name.
    package static func ofNothing(_ same: RevisionName) -> OutgoingDelta {
        OutgoingDelta(source: same, body: Array("{}".utf8))
    }

    /// - Parameters:
    ///   - whole: The body as it would be sent.
    ///   - content: What is sent.
    ///   - known: Revisions that the peer has, by its names for them, the best first.
    ///   - sent: A revision that the peer may be about to store in place of those: only what follows it will do.
    ///   - form: Makes a body of a revision's content as the peer has it.
    /// - Returns: `nil` if the whole body does as well.
    package static func make(
        _ whole: [UInt8], sending content: RevisionContent, from known: [RevisionName], after sent: RevisionID? = nil,
        of document: DocumentView,
        in snapshot: KeyspaceSnapshot,
        form: (RevisionContent) throws -> [UInt8]
    ) throws -> OutgoingDelta? {
        guard whole.count >= minimumBody, !document.isWithheld else { return nil }
        for source in known.prefix(candidates) {
            guard let revision = try snapshot.revision(named: source, of: document), let base = try document.content(of: revision),
                !base.isDeleted, sent.map({ sent in document.tree.history(of: revision).contains { $0.modernAlias == sent } }) ?? true
            else { continue }
            // Of a base LiteCore has blobs by the body alone. It makes their entries up when a delta changes some, but not those that no blob of the
            // body stands for, nor when a delta removes all, and refuses a delta that it cannot follow (3.2.1, 4.1.0, DBAccess.cc).
            if let attachments = base.body.attachments, attachments != content.body.attachments { return nil }
            guard let body = try? JSONDelta.create(from: try form(base), to: whole), body.count < whole.count else { return nil }
            return OutgoingDelta(source: source, body: body)
        }
        return nil
    }
}
