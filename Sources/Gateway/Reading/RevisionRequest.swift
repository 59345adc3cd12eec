public import Documents

/// Which revision of a document is wanted.
public enum RevisionRequest: Sendable, Hashable {
    /// The winner, unless it is a tombstone.
    case current
    /// This one, live or not. A 2.x+ client may name it by an alias.
    case revision(RevisionID)
}
