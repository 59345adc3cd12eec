public import Storage

/// One row of a changes feed.
public struct ChangeRow: Sendable {
    /// Why a document is no longer there for the reader.
    public enum Departure: Hashable, Sendable {
        /// It was moved to another collection, and the database gives notice of that.
        case moved
        /// It left these channels, the last by which the reader could see it.
        case removed([String])
        /// The reader lost access to these channels.
        case revoked([String])
    }

    public let sequence: SequenceNumber

    /// With which sequence access was granted or lost that makes the feed go back to this row; `nil` for a row in its order.
    public var trigger: SequenceNumber?

    /// What the reader had reached on the legacy upstream; see ``FeedPosition/reached``.
    public var reached: Int64?
    public let id: String

    /// The winning revision, or the first leaf that a filter has left; with a departure the one with which the document left.
    public internal(set) var revision: String

    /// The other leaves, in the winner's order, where all were asked for.
    public internal(set) var otherLeaves: [String]
    public let isDeleted: Bool

    /// That the document has left, if this row is the notice of it.
    public let departure: Departure?

    /// Whether the document has left only the channels that were asked for, and the reader sees it by others.
    public internal(set) var isStillSeen = false

    /// Which document it is, whatever its ID.
    let document: DocumentKey?

    /// Bytes of the winning body, about.
    public let bodySize: Int

    /// The winner's content, where it was asked for.
    public let content: RevisionContent?

    public init(
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

    /// Whether there is no revision to be had, only the word that the document has left.
    public var isRemoval: Bool { departure != nil }

    /// Whether a client that hears of the departure asks for the revision as well: it is the one that deletes the document.
    var isTombstoneRemoval: Bool { isRemoval && isDeleted }

    /// Whether a later row of the same document tells the same departure: one channel was left and another was lost. A client asks for the revision once for
    /// each row, as it has the rows before the revision.
    func isSuperseded(by later: ChangeRow) -> Bool {
        isTombstoneRemoval && later.isTombstoneRemoval && later.revision == revision && later.position > position
    }

    /// Where a client goes on that has taken this row.
    public var position: FeedPosition { FeedPosition(sequence, trigger: trigger, reached: reached) }
}
