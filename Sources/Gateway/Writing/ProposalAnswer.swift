public import Documents

/// Whether a proposed revision is wanted.
public enum ProposalAnswer: Sendable, Equatable {
    /// Send it.
    case wanted
    /// It is here already.
    case known
    /// The winner here is another one.
    case conflict(current: RevisionID)
}
