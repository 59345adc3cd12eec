/// What a collection says of documents that were moved out of it.
public enum DeparturePolicy: String, Sendable, CaseIterable {
    /// Nothing: a tombstone would be pushed back, and a removal makes 3.x clients purge unpushed edits.
    case silent
    /// A removal notice, for teams that know their fleet is drained.
    case notify
}
