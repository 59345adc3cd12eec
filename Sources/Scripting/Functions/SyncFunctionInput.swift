/// A write, as a sync function sees it.
public struct SyncFunctionInput: Hashable, Sendable {
    /// The JSON of `meta` where a document has no extended attributes that a function may see.
    public static let emptyMeta = Array(#"{"xattrs":{}}"#.utf8)

    /// The new revision's JSON, with `_id`, `_rev` and, for a tombstone, `_deleted`.
    public let document: [UInt8]
    /// The parent revision's JSON; nil for a new document. It is given the new revision's `_id`.
    public let oldDocument: [UInt8]?
    /// The JSON of `meta`.
    public let meta: [UInt8]
    /// Who writes. Nil is an administrator, an import or a resync, who pass every `require…`.
    public let user: SyncFunctionUser?

    /// A write, its documents as JSON. Give all writes of a batch the same user value, and it is made known to JavaScript once.
    public init(
        document: [UInt8], oldDocument: [UInt8]? = nil, meta: [UInt8] = SyncFunctionInput.emptyMeta, user: SyncFunctionUser? = nil
    ) {
        self.document = document
        self.oldDocument = oldDocument
        self.meta = meta
        self.user = user
    }
}
