import Documents

/// A document as a 4.x database keeps it: one revision with its version vector, and what the server is known to have of it.
struct VersionCopy {
    var vector: VersionVector
    var content: Content

    /// The newest version that the server is known to have.
    var remote: Version?

    /// The local sequence of the revision.
    var sequence: Int

    /// The contents that whoever made it has seen, and so may have written over.
    var seen: Set<Content>

    var isDirty: Bool { remote != vector.current }

    var holding: Holding { Holding(winner: nil, content: content, leaves: []) }
}
