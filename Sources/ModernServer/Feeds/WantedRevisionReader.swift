import BLIP
import Documents
import Gateway
import ModernProtocol
import Storage

/// Reads the requested revisions from a snapshot, and builds their messages (docs/protocol/modern-2x.md#rev).
struct WantedRevisionReader: Sendable {
    let maxHistory: Int

    /// Whether the client needs no `_attachments` entries for blobs.
    let takesBlobsInPlace: Bool

    /// Whether the client accepts the current revision in place of a requested revision that is gone.
    let takesReplacements: Bool

    /// The deltas that the client accepts.
    let deltas: DeltaUse

    /// The client's database and collection that receive the revisions, if known.
    let copy: ClientDatabase?

    /// Whether revisions with versions also carry their IDs in the tree, and the tree revisions recorded for other clients.
    let sendsTrees: Bool
    let sendsClients: Bool

    /// The first properties of every message.
    let properties: BLIPProperties

    /// The approximate number of bytes to read at a time.
    let maxBytes: Int

    /// Reads revisions up to about ``maxBytes``, at least one.
    func read(_ wanted: ArraySlice<WantedRevision>, in snapshot: KeyspaceSnapshot) throws -> [OutgoingRevision] {
        var revisions: [OutgoingRevision] = []
        revisions.reserveCapacity(wanted.count)
        var bytes = 0
        try snapshot.announceDocuments(wanted.map(\.row.id), with: .bodies)
        for revision in wanted {
            guard bytes < maxBytes else { break }
            let message = try read(revision, in: snapshot)
            bytes += message.message.body.count + (message.savedBytes ?? 0)
            revisions.append(message)
        }
        return revisions
    }

    private func read(_ wanted: WantedRevision, in snapshot: KeyspaceSnapshot) throws -> OutgoingRevision {
        guard let document = try snapshot.document(wanted.row.id, followingMoves: wanted.row.isMoved),
            let revision = RevisionID(wanted.row.revision)
        else {
            return missing(wanted.row)
        }
        if wanted.isEdited(in: document.tree) { return missing(wanted.row, "410", "obsolete") }
        if let content = try document.content(of: revision) {
            // The client has written a newer revision after it has asked for this one, and would take this one for the newer: its document would
            // stay at it for ever, or be in conflict. The winner has a row of its own. A removal is sent in any case.
            if wanted.isWritten, !wanted.row.isMoved, !document.isWithheld, content.revision != document.winner {
                return missing(wanted.row, "410", "obsolete")
            }
            // A tombstone already states that the document is no longer visible.
            let content = document.isWithheld && content.isDeleted ? content.withoutProperties : content
            return try message(content, of: document, for: wanted, takesDeltas: !document.isWithheld, in: snapshot)
        }
        if takesReplacements, !document.isWithheld, let content = try document.content(of: document.winner) {
            return try message(content, of: document, for: wanted, replaces: true, in: snapshot)
        }
        guard let notice = try document.announced(revision) else { return missing(wanted.row) }
        return try message(notice, of: document, for: wanted, in: snapshot)
    }

    private func message(
        _ content: RevisionContent, of document: DocumentView, for wanted: WantedRevision, replaces: Bool = false,
        takesDeltas: Bool = false,
        in snapshot: KeyspaceSnapshot
    ) throws -> OutgoingRevision {
        guard let names = try names(of: content, of: document, for: wanted, replaces: replaces, in: snapshot) else {
            var missing = missing(wanted.row)
            missing.unversioned = document.record.key
            return missing
        }
        var properties = properties
        properties.add("id", wanted.row.id)
        properties.add("rev", names.revision)
        if content.isDeleted { properties.add("deleted", "1") }
        properties.add("sequence", wanted.row.sequence)
        if let history = names.history { properties.add("history", history) }
        if replaces { properties.add("replacedRev", wanted.row.name) }
        if sendsTrees, wanted.row.version != nil { properties.add(CarriedHistory.tree, CarriedHistory.text(content.history)) }
        if sendsClients, let text = CarriedHistory.text(try snapshot.clientRevisions(of: document)) {
            properties.add(CarriedHistory.clients, text)
        }
        let (whole, attachments) = try body(of: content, in: snapshot)
        var delta: OutgoingDelta?
        if deltas != .none, takesDeltas, !content.isDeleted, let same = wanted.same {
            delta = .ofNothing(same)
        } else if deltas == .all, takesDeltas, !content.isDeleted, !wanted.row.isMoved {
            delta = try OutgoingDelta.make(
                whole, sending: content, from: wanted.bases, after: wanted.sentBefore.flatMap { RevisionID($0) }, of: document, in: snapshot
            ) {
                try body(of: $0, in: snapshot).bytes
            }
        }
        if let delta { properties.add("deltaSrc", delta.source.description) }
        // The client's reply is needed in these cases:
        // - A delta: the reply states whether it applies.
        // - Attachments: the reply states that the client has them all.
        // - A document whose tree revision precedes the upgrade of the client's database: the client's proposals wait until it has the
        //   version.
        // - A moved document whose revision blocks an edit: the reply states that the document need not be sent again.
        let isConfirmed = wanted.row.isMoved || wanted.row.version != nil && !wanted.ancestors.isEmpty
        let message = BLIPMessage.request(
            "rev", properties: properties, body: delta?.body ?? whole, noReply: delta == nil && attachments.isEmpty && !isConfirmed,
            isCompressed: true)
        return OutgoingRevision(
            id: wanted.row.id, message: message, attachments: attachments, isConfirmed: isConfirmed,
            savedBytes: delta.map { whole.count - $0.body.count })
    }

    /// The revision's name and history for this client; `nil` if the revision has no name that this client could know.
    private func names(
        of content: RevisionContent, of document: DocumentView, for wanted: WantedRevision, replaces: Bool, in snapshot: KeyspaceSnapshot
    ) throws -> (revision: String, history: String?)? {
        if let announced = wanted.row.version {
            // A replacement has a version only if it was announced too, or was assigned a version for this request.
            guard let version = replaces ? try snapshot.version(of: document) : announced else { return nil }
            let legacy = try copy.flatMap { try snapshot.legacyRevision(of: document, copy: $0) }
            return (version.current.description, version.history(endingIn: wanted.tail(after: legacy, in: document.tree)))
        }
        let known = Set(wanted.ancestors.compactMap { document.tree.lookup(modern: $0)?.id })
        return (
            replaces ? content.revision.modernAlias.text : wanted.row.revision,
            ModernHistory.property(content.history, known: known, limit: maxHistory)
        )
    }

    private func body(of content: RevisionContent, in snapshot: KeyspaceSnapshot) throws -> (bytes: [UInt8], attachments: [SentAttachment])
    {
        try content.messageBody(in: snapshot) { set in
            takesBlobsInPlace ? try set.namedForLiteCore(content.body.properties) : set
        }
    }

    /// The reply to a request for a revision that cannot be sent. The client's pull never finishes while a requested revision has no reply.
    private func missing(_ row: AnnouncedRow, _ status: String = "404", _ reason: String = "missing") -> OutgoingRevision {
        var properties = properties
        properties.add("id", row.id)
        properties.add("rev", row.name)
        properties.add("sequence", row.sequence)
        properties.add("error", status)
        properties.add("reason", reason)
        let message = BLIPMessage.request("norev", properties: properties, noReply: true)
        return OutgoingRevision(id: row.id, message: message, attachments: [])
    }
}
