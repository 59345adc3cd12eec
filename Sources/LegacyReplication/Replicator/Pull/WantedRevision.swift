import Documents

/// A revision that the server has and that is missing here.
struct WantedRevision: Hashable, Sendable {
    let id: String
    let revision: RevisionID
    let isDeleted: Bool

    /// Revisions of the document that are here with their attachments.
    let ancestors: [RevisionID]

    /// The change in the ledger that brought it.
    let ticket: Int

    /// Its number among the revisions that are asked for, in the feed's order, from 0 on.
    var place = 0

    /// What it builds on, once it has come.
    var history: [RevisionID] = []
}
