public import Documents

/// A revision that a client pushes.
public struct PeerRevision: Sendable {
    public struct Attachment: Sendable {
        public let name: String
        public let contentType: String
        public let bytes: [UInt8]

        public init(name: String, contentType: String, bytes: [UInt8]) {
            self.name = name
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    public let id: String

    /// Newest first, the revision itself included.
    public let history: [RevisionID]
    public let isDeleted: Bool

    /// The document's own properties, a JSON object.
    public let body: [UInt8]
    public let attachments: [Attachment]

    public init(id: String, history: [RevisionID], isDeleted: Bool = false, body: [UInt8], attachments: [Attachment] = []) {
        self.id = id
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}
