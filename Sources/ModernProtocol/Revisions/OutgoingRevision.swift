package import BLIP
package import Documents
package import Gateway
package import Storage

/// A revision's message that is ready to be sent, or a `norev`.
package struct OutgoingRevision: Sendable {
    package let id: String
    package let message: BLIPMessage

    /// The attachments that the client may ask for.
    package let attachments: [SentAttachment]

    /// Whether the feed waits until the client has stored it.
    package var isConfirmed = false

    /// The document whose current revision replaces the requested one, if that revision has no version yet by which the client could know
    /// it.
    package var unversioned: DocumentKey?

    /// The bytes that the delta saves compared with the body; `nil` if the body is sent whole.
    package var savedBytes: Int?

    /// Whether the client gets no revision, because it is gone or obsolete.
    package var isMissing: Bool { message.profile == "norev" }

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

/// A revision's body as the difference from a revision that the peer has (docs/protocol/modern-2x.md#deltas).
package struct OutgoingDelta: Sendable {
    /// The minimum body size in bytes for a delta, as in LiteCore. A smaller body is sent whole.
    private static let minimumBody = 200

    /// The maximum number of the peer's revisions that are tried as the base.
    private static let candidates = 3

    /// The base revision, by the peer's name for it.
    package let source: RevisionName
    package let body: [UInt8]

    /// The delta for a revision that the peer already has under another name.
    package static func ofNothing(_ same: RevisionName) -> OutgoingDelta {
        OutgoingDelta(source: same, body: Array("{}".utf8))
    }

    /// - Parameters:
    ///   - whole: The whole body in its wire form.
    ///   - content: The revision to send.
    ///   - known: Revisions that the peer has, by its names for them, the best base first.
    ///   - sent: A revision that the peer may be about to store in place of `known`. A base is then usable only if it descends from it.
    ///   - form: Builds the peer's form of a revision's body.
    /// - Returns: `nil` if the whole body is to be sent.
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
            // LiteCore's form of a base has no `_attachments` entries for blobs. When a delta changes some entries, LiteCore regenerates
            // the entries of blobs; but it does not do so for attachments that no blob of the body represents, nor when a delta removes all
            // entries. It then refuses the delta (3.2.1, 4.1.0, DBAccess.cc).
            if let attachments = base.body.attachments, attachments != content.body.attachments { return nil }
            guard let body = try? JSONDelta.create(from: try form(base), to: whole), body.count < whole.count else { return nil }
            return OutgoingDelta(source: source, body: body)
        }
        return nil
    }
}
