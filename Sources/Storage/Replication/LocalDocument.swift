/// A document that is never replicated: a `_local/` document of 1.x, or a checkpoint of 2.x+.
public struct LocalDocument: Hashable, Sendable {
    /// Counts the writes, from 1. On the wire it is `0-revision`.
    public var revision: Int64

    /// The JSON object as its owner wrote it, without `_id` and `_rev`.
    public var body: [UInt8]

    /// When it was last written, in milliseconds since 1970.
    public var modified: Int64

    /// The revision of the legacy upstream's document of this name when it was last looked at, empty if there was none; `nil` if nobody has
    /// looked.
    public var upstreamRevision: String?

    public init(revision: Int64, body: [UInt8], modified: Int64, upstreamRevision: String? = nil) {
        self.revision = revision
        self.body = body
        self.modified = modified
        self.upstreamRevision = upstreamRevision
    }
}

/// The kinds of documents that stay local; their names do not mix.
public enum LocalDocumentKind: Int64, Sendable {
    /// `_local/` documents, which 1.x clients keep their checkpoints in.
    case local = 0

    /// Checkpoints of 2.x+ clients, by the `client` property.
    case checkpoint = 1

    /// What replicators of ours keep here to know how far they have come.
    case replicator = 2

    /// The documents whose edits a 2.x+ client was refused and whose revisions its feed will not bring, by its checkpoint's name.
    case contested = 3
}
