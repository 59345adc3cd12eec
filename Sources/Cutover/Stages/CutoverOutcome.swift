/// What came of a step, as the audit has it.
public enum CutoverOutcome: String, Hashable, Sendable, CaseIterable {
    /// The database went to the other stage.
    case taken

    /// A gate has refused it.
    case refused

    /// A hook has stopped it.
    case stopped
}
