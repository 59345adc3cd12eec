public import Documents

/// Whether a revision that a 4.x client proposes is wanted.
public enum VersionAnswer: Sendable, Equatable {
    /// Send it.
    case wanted
    /// It is here already, or what is here takes it in.
    case known
    /// What is here is another one: its version, or its ID in the tree for a database that has one.
    case conflict(current: RevisionName)
}
