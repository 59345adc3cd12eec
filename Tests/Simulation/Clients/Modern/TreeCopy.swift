import Documents

/// A document as a 2.x+ database keeps it: one branch, and what the server is known to have of it.
struct ModernDocument {
    /// Newest first.
    var history: [RevisionID]
    var content: Content

    /// The newest revision that the server is known to have.
    var remote: RevisionID?

    /// The local sequence of the newest revision.
    var sequence: Int

    var revision: RevisionID { history[0] }

    /// Whether there is something that the server is not known to have.
    var isDirty: Bool { remote != revision }

    var holding: Holding { Holding(winner: revision, content: content, leaves: [revision]) }
}
