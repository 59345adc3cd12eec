import BLIP
import Documents

/// A revision that is ready to be sent, or the word that there is none (`norev`).
struct OutgoingRevision: Sendable {
    let id: String
    let message: BLIPMessage

    /// The attachments that the client may ask for.
    let attachments: [SentAttachment]

    /// Whether the feed waits until the client has stored it.
    var isConfirmed = false

    /// How much shorter than the body the delta is that goes in its place; `nil` if the body is whole.
    var savedBytes: Int?
}
