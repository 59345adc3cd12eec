package import Documents

/// A document as a client holds it.
package struct PeerDocument: Sendable, Equatable {
    package var revision: RevisionID
    package var isDeleted: Bool

    /// The document's own properties.
    package var body: JSONValue

    /// SHA-1 digests of the attachments' bytes, by name, computed from the bytes that arrived.
    package var attachments: [ExactString: AttachmentDigest]

    package init(revision: RevisionID, isDeleted: Bool, body: JSONValue, attachments: [ExactString: AttachmentDigest] = [:]) {
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}

/// A revision that a client pushes.
package struct PeerRevision: Sendable {
    package struct Attachment: Sendable {
        package let name: String
        package let contentType: String
        package let bytes: [UInt8]

        package init(name: String, contentType: String, bytes: [UInt8]) {
            self.name = name
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    package let id: String

    /// Newest first, the revision itself included.
    package let history: [RevisionID]
    package let isDeleted: Bool

    /// The document's own properties, a JSON object.
    package let body: [UInt8]
    package let attachments: [Attachment]

    package init(id: String, history: [RevisionID], isDeleted: Bool = false, body: [UInt8], attachments: [Attachment] = []) {
        self.id = id
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}

/// What a client has edited itself, and how far it has been pushed.
///
/// What a server refuses for good counts as pushed: Couchbase Lite does not try it again until the document is edited, or the checkpoint
/// is reset.
struct LocalEdits {
    private var edits: [PeerRevision] = []
    private var pushed = 0

    var pending: [PeerRevision] { Array(edits[pushed...]) }

    /// Takes the place of an earlier edit of the same document.
    mutating func append(_ revision: PeerRevision) {
        remove(revision.id)
        edits.append(revision)
    }

    mutating func remove(_ id: String) {
        guard let index = edits.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return }
        edits.remove(at: index)
        if index < pushed { pushed -= 1 }
    }

    mutating func markPushed() { pushed = edits.count }

    mutating func resetCheckpoint() { pushed = 0 }
}

/// Why a client gave up.
package struct PeerError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
