import Documents
import HTTP

/// How a revision is to be sent: what a `GET`, or an item of `_bulk_get`, says besides the revision.
struct ReadOptions: Sendable, Equatable {
    /// `revs`: with `_revisions`.
    var includesHistory = false

    /// `attachments`: with the bytes of attachments that the client lacks.
    var includesAttachments = false

    /// Whether attachments whose bytes are not here are left out: for replicators that ask for each one's bytes, and stop where they get none.
    var leavesOutMissing = false

    /// `atts_since`: revisions that the client has, attachments included.
    var attachmentsSince: [RevisionID] = []

    /// `revs_from`: revisions that the client knows, bodies perhaps not.
    var known: [RevisionID] = []

    /// `revs_limit`: how much history it wants at most; 0 for none.
    var historyLimit: Int?

    /// `show_exp`: with `_exp`.
    var showsExpiry = false

    /// `conflicts`: with the live leaves that have lost.
    var includesConflicts = false

    /// `deleted_conflicts`: with the deleted leaves that have lost.
    var includesDeletedConflicts = false

    /// `revs_info`: with which of its ancestors can still be read.
    var includesRevisionInfo = false

    init() {}

    /// Whether more than the revision itself has to be looked up for it.
    var needsLookups: Bool {
        includesAttachments || leavesOutMissing || includesConflicts || includesDeletedConflicts || includesRevisionInfo
    }

    /// Reads the query of a `GET`.
    init(_ call: LegacyCall) throws {
        includesHistory = call.query.flag("revs")
        includesAttachments = call.query.flag("attachments")
        showsExpiry = call.query.flag("show_exp")
        includesConflicts = call.query.flag("conflicts")
        includesDeletedConflicts = call.query.flag("deleted_conflicts")
        includesRevisionInfo = call.query.flag("revs_info")
        attachmentsSince = try call.revisions("atts_since").compactMap { RevisionID($0) }
        known = try call.revisions("revs_from").compactMap { RevisionID($0) }
        historyLimit = (try? call.query.int("revs_limit")).flatMap { $0 >= 0 ? $0 : nil }
    }

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
