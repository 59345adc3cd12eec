import BLIP
import Documents
import Storage

/// A revision that is ready to be sent, or the word that there is none (`norev`).
struct OutgoingRevision: Sendable {
    let id: String
    let message: BLIPMessage

    /// The attachments that the client may ask for.
    let attachments: [SentAttachment]

    /// Whether the feed waits until the client has stored it.
    var isConfirmed = false

    /// The document whose current revision is to take the place of the one asked for, and has no version yet by which this client could know it.
    var unversioned: DocumentKey?

    /// How much shorter than the body the delta is that goes in its place; `nil` if the body is whole.
    var savedBytes: Int?
}

/// A revision that was sent whole, and that the client answers once it has stored it.
struct UnansweredRevision {
    let collection: CollectionHandle
    let id: String
    let feed: ChangesFeed

    /// Whether the pull is not at its end before the client has it.
    let isConfirmed: Bool
}
