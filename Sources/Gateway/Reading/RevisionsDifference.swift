public import Documents

/// What is missing here of revisions that a client has (`_revs_diff`).
public struct RevisionsDifference: Sendable, Equatable {
    public let missing: [RevisionID]

    /// Leaves of the document here that may be ancestors of the missing ones; where there is none, the newest older revision whose body is kept.
    public let possibleAncestors: [RevisionID]

    public init(missing: [RevisionID], possibleAncestors: [RevisionID]) {
        self.missing = missing
        self.possibleAncestors = possibleAncestors
    }
}
