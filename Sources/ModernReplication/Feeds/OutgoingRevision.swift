import BLIP
import Documents

/// A revision that is ready to be sent, or the word that there is none (`norev`).
struct OutgoingRevision: Sendable {
    let id: String
    let message: BLIPMessage

    /// The attachments that the client may ask for.
    let attachments: [AttachmentDigest]
}
