extension ScriptFunction where Input == SyncFunctionInput, Output == SyncFunctionOutput {
    /// A sync function, `function (doc, oldDoc, meta)`, with Sync Gateway's host functions: `channel`, `access`, `role`, `expiry`,
    /// `requireUser`, `requireRole`, `requireAccess`, `requireAdmin`, and `throw({forbidden: "…"})`.
    ///
    /// Names are strings or arrays of strings; other values, including nested arrays, are ignored as in Sync Gateway. A channel name that is
    /// empty or contains a comma, and a role without the prefix `role:`, are bad results as in Sync Gateway. Other thrown values are exceptions.
    package static func sync(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .sync, owner: owner, source: source),
            arguments: { [.json($0.document), .json($0.oldDocument), .json($0.meta), .user($0.user)] },
            decode: { reader throws(OutcomeError) in try SyncFunctionOutput(from: &reader) })
    }
}

/// The input of a sync function.
package struct SyncFunctionInput: Hashable, Sendable {
    /// The JSON of `meta` for a document without extended attributes that the function may read.
    package static let emptyMeta = Array(#"{"xattrs":{}}"#.utf8)

    /// The new revision's JSON, with `_id`, `_rev` and, for a tombstone, `_deleted`.
    package let document: [UInt8]
    /// The parent revision's JSON; `nil` for a new document. The harness adds the new revision's `_id`.
    package let oldDocument: [UInt8]?
    /// The JSON of `meta`.
    package let meta: [UInt8]
    /// The writing user. `nil` for an administrator, an import or a resync, which pass every `require…`.
    package let user: SyncFunctionUser?

    /// Creates an input with documents as JSON. If all writes of a batch have the same user value, it is converted to JavaScript only once.
    package init(
        document: [UInt8], oldDocument: [UInt8]? = nil, meta: [UInt8] = SyncFunctionInput.emptyMeta, user: SyncFunctionUser? = nil
    ) {
        self.document = document
        self.oldDocument = oldDocument
        self.meta = meta
        self.user = user
    }
}

/// The writing user, for a sync function's `requireUser`, `requireRole` and `requireAccess`. The function itself has no access to it.
package struct SyncFunctionUser: Hashable, Sendable {
    /// The name; empty for the guest, who is checked like any user.
    package let name: String
    /// The names of the user's roles, without `role:`.
    package let roles: [String]
    /// The user's channels in the collection, including those of its roles. `*` has no special meaning here: it grants read access to everything,
    /// but does not satisfy `requireAccess("x")`, as in Sync Gateway (issue 787 there).
    package let channels: [String]

    /// Creates a user with its roles and channels at the time of the write.
    package init(name: String, roles: [String] = [], channels: [String] = []) {
        self.name = name
        self.roles = roles
        self.channels = channels
    }
}
