/// A write, as a sync function sees it.
public struct SyncFunctionInput: Hashable, Sendable {
    /// The new revision's JSON, with `_id`, `_rev` and, for a tombstone, `_deleted`.
    public let document: [UInt8]
    /// The parent revision's JSON; nil for a new document. It is given the new revision's `_id`.
    public let oldDocument: [UInt8]?
    /// The JSON of `meta`; nil is null.
    public let meta: [UInt8]?
    /// Who writes, as JSON: `{"name": …, "roles": [names], "channels": [names]}`, roles with or without sequences
    /// (`{"name": 1}`). Nil, or no name, checks nothing: an administrator, an import, a resync. The function can't see it.
    public let user: [UInt8]?

    /// A write, each part as JSON.
    public init(document: [UInt8], oldDocument: [UInt8]? = nil, meta: [UInt8]? = nil, user: [UInt8]? = nil) {
        self.document = document
        self.oldDocument = oldDocument
        self.meta = meta
        self.user = user
    }
}
