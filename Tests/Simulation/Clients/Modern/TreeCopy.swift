import Documents

/// A document in a 2.x or 3.x database: one branch, and the server's known revision.
struct TreeCopy {
    /// Newest first.
    var history: [RevisionID]
    var content: Content

    /// The newest revision that the server is known to have, and its body if it is stored.
    var remote: RevisionID?
    var base: [UInt8]?

    /// The known revisions of the servers at former URLs: a database stores these for each URL.
    var elsewhere: [RevisionID] = []

    /// Whether it was changed here and never sent.
    var isEdited = false

    /// The contents that the revision's author has seen.
    var seen: Set<Content> = []

    /// The newest revision's body in wire form, if it is stored.
    var body: [UInt8]?

    /// The local sequence of the newest revision.
    var sequence: Int

    var revision: RevisionID { history[0] }

    var isDirty: Bool { remote != revision }

    var holding: Holding { Holding(winner: revision, content: content, leaves: [revision]) }
}
