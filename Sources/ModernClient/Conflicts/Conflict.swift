public import Documents

/// A document that was changed locally and on the server since their last common revision.
public struct Conflict: Sendable {
    /// One side of a conflict.
    public struct Side: Sendable {
        /// The revision's ID.
        public let revision: RevisionID

        /// Whether this side has deleted the document.
        public let isDeleted: Bool

        /// The document's own properties, a JSON object.
        public let body: [UInt8]

        /// The JSON object of its attachments, each a stub; `nil` if there are none.
        public let attachments: [UInt8]?

        /// The revision's version, between databases with versions.
        package let version: Version?

        package init(revision: RevisionID, isDeleted: Bool, body: [UInt8], attachments: [UInt8]? = nil, version: Version? = nil) {
            self.revision = revision
            self.isDeleted = isDeleted
            self.body = body
            self.attachments = attachments
            self.version = version
        }

        /// The properties as a tree.
        public var properties: JSONValue { (try? JSONValue(body)) ?? .object([]) }
    }

    /// The local document; `nil` if it was deleted.
    public var localDocument: Side? { local.isDeleted ? nil : local }

    /// The server's document; `nil` if it was deleted.
    public var remoteDocument: Side? { remote.isDeleted ? nil : remote }

    /// The document's ID.
    public let documentID: String

    /// The local revision.
    public let local: Side

    /// The server's revision.
    public let remote: Side

    /// Creates a conflict, for tests of a resolver.
    public init(documentID: String, local: Side, remote: Side) {
        self.documentID = documentID
        self.local = local
        self.remote = remote
    }
}
