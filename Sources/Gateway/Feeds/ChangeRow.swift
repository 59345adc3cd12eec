package import Storage

/// One row of a changes feed.
package struct ChangeRow: Sendable {
    /// Why the reader cannot see a document any more.
    package enum Departure: Hashable, Sendable {
        /// It was moved to another collection, and the database sends notices of moves.
        case moved
        /// It left these channels, the last through which the reader could see it.
        case removed([String])
        /// The reader lost access to these channels.
        case revoked([String])
    }

    package let sequence: SequenceNumber

    /// The sequence of the grant or loss of access for which the feed goes back to this row; `nil` for a row in feed order.
    package var trigger: SequenceNumber?

    /// The legacy upstream's sequence that the reader has reached; see ``FeedPosition/reached``.
    package var reached: Int64?
    package let id: String

    /// The winning revision, or the first leaf that passes a filter; for a departure the revision with which the document left.
    package internal(set) var revision: String

    /// The other leaves in winner order, where the query requests all leaves.
    package internal(set) var otherLeaves: [String]
    package let isDeleted: Bool

    /// The departure that this row announces; `nil` for a row of a visible document.
    package let departure: Departure?

    /// Whether the document has left only the requested channels, and is visible to the reader through others.
    package internal(set) var isStillSeen = false

    /// The document's key, independent of its ID.
    let document: DocumentKey?

    /// The approximate size of the winning body, in bytes.
    package let bodySize: Int

    /// The winner's content, where the query requests it.
    package let content: RevisionContent?

    package init(
        sequence: SequenceNumber, id: String, revision: String, otherLeaves: [String] = [], isDeleted: Bool, departure: Departure? = nil,
        bodySize: Int, content: RevisionContent? = nil, document: DocumentKey? = nil
    ) {
        self.document = document
        self.sequence = sequence
        self.id = id
        self.revision = revision
        self.otherLeaves = otherLeaves
        self.isDeleted = isDeleted
        self.departure = departure
        self.bodySize = bodySize
        self.content = content
    }

    /// Whether the row only announces a departure, without a revision to fetch.
    package var isRemoval: Bool { departure != nil }

    /// Whether a client requests the revision after this notice as well: the revision that deletes the document.
    var isTombstoneRemoval: Bool { isRemoval && isDeleted }

    /// Whether a later row of the same document announces the same departure: one channel was left and another was lost. A client requests the
    /// revision once for each row, as it receives the rows before the revision.
    func isSuperseded(by later: ChangeRow) -> Bool {
        isTombstoneRemoval && later.isTombstoneRemoval && later.revision == revision && later.position > position
    }

    /// The position at which a client continues after this row.
    package var position: FeedPosition { FeedPosition(sequence, trigger: trigger, reached: reached) }
}
