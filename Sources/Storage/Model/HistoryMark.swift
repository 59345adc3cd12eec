public import Documents

/// Which revision of a document won from a sequence on. Whoever has read the feed up to there, and not beyond the document's next change, holds it.
public struct HistoryMark: Hashable, Sendable {
    public let sequence: Sequence
    public let revision: RevisionID

    public init(sequence: Sequence, revision: RevisionID) {
        self.sequence = sequence
        self.revision = revision
    }
}
