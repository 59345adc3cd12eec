package import Documents
package import Gateway
import Storage

/// How a revision is to be sent: what a `GET`, or an item of `_bulk_get`, says besides the revision.
package struct ReadOptions: Sendable, Equatable {
    /// `revs`: with `_revisions`.
    package var includesHistory = false

    /// `attachments`: with the bytes of attachments that the client lacks.
    package var includesAttachments = false

    /// Whether attachments whose bytes are not here are left out: for replicators that ask for each one's bytes, and stop where they get none.
    package var leavesOutMissing = false

    /// `atts_since`: revisions that the client has, attachments included.
    package var attachmentsSince: [RevisionID] = []

    /// `revs_from`: revisions that the client knows, bodies perhaps not.
    package var known: [RevisionID] = []

    /// `revs_limit`: how much history it wants at most; 0 for none.
    package var historyLimit: Int?

    /// `show_exp`: with `_exp`.
    package var showsExpiry = false

    /// `conflicts`: with the live leaves that have lost.
    package var includesConflicts = false

    /// `deleted_conflicts`: with the deleted leaves that have lost.
    package var includesDeletedConflicts = false

    /// `revs_info`: with which of its ancestors can still be read.
    package var includesRevisionInfo = false

    package init() {}

    /// The history as far as the client needs it: up to the first revision that it knows, that one included.
    func cut(_ history: [RevisionID]) -> [RevisionID] {
        var end = min(history.count, historyLimit ?? .max)
        if !known.isEmpty || !attachmentsSince.isEmpty,
            let index = history.dropFirst().firstIndex(where: { known.contains($0) || attachmentsSince.contains($0) })
        {
            end = min(end, index + 1)
        }
        return end == history.count ? history : Array(history[..<end])
    }
}

extension RevisionContent {
    /// The document as 1.x clients read it, its attachments as stubs.
    package func renderer(_ options: ReadOptions = ReadOptions()) -> DocumentRenderer {
        var renderer = DocumentRenderer(id: id, revision: revision, isDeleted: isDeleted, body: body.properties)
        renderer.attachments = body.attachments
        if options.includesHistory { renderer.history = options.cut(history) }
        if options.showsExpiry, let expiry { renderer.expiry = Array("\"\(expiry.text)\"".utf8) }
        return renderer
    }
}
