package import Documents

/// A document in a client's local database.
package struct PeerDocument: Sendable, Equatable {
    package var revision: RevisionID
    package var isDeleted: Bool

    /// The body without reserved properties.
    package var body: JSONValue

    /// The SHA-1 digests of the attachments by name, computed from the received bytes.
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

    /// The revision IDs, newest first, including the revision itself.
    package let history: [RevisionID]
    package let isDeleted: Bool

    /// The body as a JSON object, without reserved properties.
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

/// A client's local edits, and which of them are pushed.
///
/// An edit that the server refuses permanently counts as pushed: Couchbase Lite does not retry it until the document is edited again or the
/// checkpoint is reset.
struct LocalEdits {
    private var edits: [PeerRevision] = []
    private var pushed = 0

    var pending: [PeerRevision] { Array(edits[pushed...]) }

    /// Adds an edit; it replaces an earlier edit of the same document.
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

/// The reason why a replication failed.
package struct PeerError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
