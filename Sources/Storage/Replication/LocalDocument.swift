/// A document that is never replicated: a `_local/` document of 1.x, or a checkpoint of 2.x+.
package struct LocalDocument: Hashable, Sendable {
    /// The number of writes, from 1. On the wire it is `0-revision`.
    package var revision: Int64

    /// The JSON object, without `_id` and `_rev`.
    package var body: [UInt8]

    /// When it was last written, in milliseconds since 1970.
    package var modified: Int64

    /// The revision of the legacy upstream's document of this name at the last check, empty if there was none; `nil` if it was never checked.
    package var upstreamRevision: String?

    package init(revision: Int64, body: [UInt8], modified: Int64, upstreamRevision: String? = nil) {
        self.revision = revision
        self.body = body
        self.modified = modified
        self.upstreamRevision = upstreamRevision
    }
}

/// The kinds of local documents. Each kind has its own namespace.
package enum LocalDocumentKind: Int64, Sendable {
    /// `_local/` documents, in which 1.x clients store their checkpoints.
    case local = 0

    /// Checkpoints of 2.x+ clients, by the `client` property.
    case checkpoint = 1

    /// Checkpoints of our own replicators.
    case replicator = 2

    /// By checkpoint name: the documents whose edits were refused from a 2.x+ client and whose revisions its feed will not send.
    case contested = 3
}
