import Documents
import Peers

/// One edit of a document by the only client that writes it.
struct Edit: Sendable {
    let id: String

    /// From 1; the document's property `n`.
    let number: Int
    let isDeleted: Bool

    /// Newest first, this one's included.
    let history: [RevisionID]

    /// As a 4.x client names it, and the edit before it.
    let version: String
    let parentVersion: String

    /// The document's own properties.
    let body: [UInt8]

    var revision: PeerRevision { PeerRevision(id: id, history: history, isDeleted: isDeleted, body: body) }
}
