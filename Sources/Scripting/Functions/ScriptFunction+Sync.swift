extension ScriptFunction where Input == SyncFunctionInput, Output == SyncFunctionOutput {
    /// A sync function, `function (doc, oldDoc, meta)`, with Sync Gateway's host functions: `channel`, `access`, `role`, `expiry`,
    /// `requireUser`, `requireRole`, `requireAccess`, `requireAdmin`, and `throw({forbidden: "…"})`.
    ///
    /// Names are strings or arrays of strings; anything else is ignored, arrays in arrays too, as there. A channel name that is empty or has a comma, and a role that
    /// does not begin with `role:`, make a bad result, as there. Other things thrown are exceptions.
    public static func sync(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .sync, owner: owner, source: source),
            arguments: { [.json($0.document), .json($0.oldDocument), .json($0.meta), .user($0.user)] },
            decode: { reader throws(OutcomeError) in try SyncFunctionOutput(from: &reader) })
    }
}

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

/// Who writes, as a sync function's `requireUser`, `requireRole` and `requireAccess` see it; the function itself can't.
public struct SyncFunctionUser: Hashable, Sendable {
    /// The name; empty for the guest, who is checked like everybody.
    public let name: String
    /// The names of the user's roles, without `role:`.
    public let roles: [String]
    /// The channels that the user has in the collection, those of its roles included. `*` is a channel like any other here: it lets a
    /// user read everything, but meets no `requireAccess("x")`, as in Sync Gateway (issue 787 there).
    public let channels: [String]

    /// A user, with what it has at the time of the write.
    public init(name: String, roles: [String] = [], channels: [String] = []) {
        self.name = name
        self.roles = roles
        self.channels = channels
    }
}
