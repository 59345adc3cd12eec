import Documents

/// A document as a 2.x or 3.x database keeps it: one branch, and what the server is known to have of it.
struct TreeCopy {
    /// Newest first.
    var history: [RevisionID]
    var content: Content

    /// The newest revision that the server is known to have, and its body if it is kept.
    var remote: RevisionID?
    var base: [UInt8]?

    /// What the servers at former URLs are known to have: a database keeps that for each URL.
    var elsewhere: [RevisionID] = []

    /// Whether it was changed here and nowhere told.
    var isEdited = false

    /// The contents that whoever made it has seen.
    var seen: Set<Content> = []

    /// The newest revision's body as it goes over the wire, where it is kept.
    var body: [UInt8]?

    /// The local sequence of the newest revision.
    var sequence: Int

    var revision: RevisionID { history[0] }

    var isDirty: Bool { remote != revision }

    var holding: Holding { Holding(winner: revision, content: content, leaves: [revision]) }
}
