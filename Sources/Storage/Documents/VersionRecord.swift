public import Documents

/// The last version under which 4.x clients know a document.
public struct VersionRecord: Hashable, Sendable {
    /// A version that it was known under before.
    public struct Earlier: Hashable, Sendable {
        public let version: Version

        /// The revision that it is of.
        public let revision: RevisionID

        public init(version: Version, revision: RevisionID) {
            self.version = version
            self.revision = revision
        }
    }

    /// The revision that it is of.
    public let revision: RevisionID

    /// It takes in every version by which the document was known before.
    public let vector: VersionVector

    /// A few of these, the newest first, for deltas that build on them.
    public let earlier: [Earlier]

    public init(revision: RevisionID, vector: VersionVector, earlier: [Earlier] = []) {
        self.revision = revision
        self.vector = vector
        self.earlier = earlier
    }

    /// The versions by which clients may know the revision: the current one, and the one that its maker gave it before it was named anew.
    public var names: [Version] { [vector.current] + earlier.filter { $0.revision == revision }.map(\.version) }

    /// The revision that a version is of; `nil` if that is not remembered.
    public func revision(of version: Version) -> RevisionID? {
        if version == vector.current { return revision }
        return earlier.first { $0.version == version }?.revision
    }

    /// The record that takes this one's place.
    ///
    /// - Parameter count: How many earlier versions it remembers.
    public func followed(by revision: RevisionID, _ vector: VersionVector, remembering count: Int) -> VersionRecord {
        let known = [Earlier(version: self.vector.current, revision: self.revision)] + earlier
        return VersionRecord(revision: revision, vector: vector, earlier: Array(known.prefix(count)))
    }
}

/// Which revision of a document won from a sequence on. Whoever has read the feed up to there, and not beyond the document's next change, holds it.
public struct HistoryMark: Hashable, Sendable {
    public let sequence: SequenceNumber
    public let revision: RevisionID

    public init(sequence: SequenceNumber, revision: RevisionID) {
        self.sequence = sequence
        self.revision = revision
    }
}
