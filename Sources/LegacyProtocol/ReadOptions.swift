package import Documents
package import Gateway
import Storage

/// The options of a `GET`, or of an item of `_bulk_get`, for the form in which a revision is sent.
package struct ReadOptions: Sendable, Equatable {
    /// `revs`: includes `_revisions`.
    package var includesHistory = false

    /// `attachments`: includes the bytes of attachments that the client lacks.
    package var includesAttachments = false

    /// Whether attachments without stored bytes are omitted, for replicators that request the bytes of each attachment and stop if there are
    /// none.
    package var leavesOutMissing = false

    /// `atts_since`: revisions that the client has, with their attachments.
    package var attachmentsSince: [RevisionID] = []

    /// `revs_from`: revisions that the client knows, possibly without their bodies.
    package var known: [RevisionID] = []

    /// `revs_limit`: the maximum length of the history; 0 for none.
    package var historyLimit: Int?

    /// `show_exp`: includes `_exp`.
    package var showsExpiry = false

    /// `conflicts`: includes the live leaves that are not the winner.
    package var includesConflicts = false

    /// `deleted_conflicts`: includes the deleted leaves that are not the winner.
    package var includesDeletedConflicts = false

    /// `revs_info`: includes the list of ancestors and whether they are stored.
    package var includesRevisionInfo = false

    package init() {}

    /// The part of the history that the client needs: up to and including the first revision that it knows.
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
    /// The document in 1.x form, with attachments as stubs.
    package func renderer(_ options: ReadOptions = ReadOptions()) -> DocumentRenderer {
        var renderer = DocumentRenderer(id: id, revision: revision, isDeleted: isDeleted, body: body.properties)
        renderer.attachments = body.attachments
        if options.includesHistory { renderer.history = options.cut(history) }
        if options.showsExpiry, let expiry { renderer.expiry = Array("\"\(expiry.text)\"".utf8) }
        return renderer
    }
}
