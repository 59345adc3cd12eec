package import Documents

/// The latest version of a document that 4.x clients have.
package struct VersionRecord: Hashable, Sendable {
    /// An earlier version of the document.
    package struct Earlier: Hashable, Sendable {
        package let version: Version

        /// The revision that the version belongs to.
        package let revision: RevisionID

        package init(version: Version, revision: RevisionID) {
            self.version = version
            self.revision = revision
        }
    }

    /// The revision that the version belongs to.
    package let revision: RevisionID

    /// The version vector. It includes every earlier version of the document.
    package let vector: VersionVector

    /// Some earlier versions, the newest first, as bases for deltas.
    package let earlier: [Earlier]

    package init(revision: RevisionID, vector: VersionVector, earlier: [Earlier] = []) {
        self.revision = revision
        self.vector = vector
        self.earlier = earlier
    }

    /// The versions under which clients may have the revision: the current version, and the original version if the revision was given a new one.
    package var names: [Version] { [vector.current] + earlier.filter { $0.revision == revision }.map(\.version) }

    /// The revision of a version; `nil` if the version is not stored.
    package func revision(of version: Version) -> RevisionID? {
        if version == vector.current { return revision }
        return earlier.first { $0.version == version }?.revision
    }

    /// The record of the next version.
    ///
    /// - Parameter count: The number of earlier versions that it stores.
    package func followed(by revision: RevisionID, _ vector: VersionVector, remembering count: Int) -> VersionRecord {
        let known = [Earlier(version: self.vector.current, revision: self.revision)] + earlier
        return VersionRecord(revision: revision, vector: vector, earlier: Array(known.prefix(count)))
    }
}

/// The winning revision of a document from a sequence on. A client that has read the feed to this sequence, and not beyond the document's next
/// change, has this revision.
package struct HistoryMark: Hashable, Sendable {
    package let sequence: SequenceNumber
    package let revision: RevisionID

    package init(sequence: SequenceNumber, revision: RevisionID) {
        self.sequence = sequence
        self.revision = revision
    }
}

extension [VersionRecord.Earlier] {
    /// `version revision,version revision`.
    package var text: String { map { "\($0.version) \($0.revision)" }.joined(separator: ",") }

    /// Parses ``text``. Unreadable items are skipped, because earlier versions only save bytes.
    package init(text: String) {
        self = text.utf8.split(separator: 0x2c).compactMap { item in
            guard let space = item.firstIndex(of: 0x20), let version = Version(Substring(item[..<space])),
                let revision = RevisionID(utf8: item[item.index(after: space)...])
            else { return nil }
            return VersionRecord.Earlier(version: version, revision: revision)
        }
    }
}
