extension ScriptFunction where Input == SyncFunctionInput, Output == SyncFunctionResult {
    /// A sync function, `function (doc, oldDoc, meta)`, with Sync Gateway's host functions: `channel`, `access`, `role`, `expiry`,
    /// `requireUser`, `requireRole`, `requireAccess`, `requireAdmin`, and `throw({forbidden: "…"})`.
    ///
    /// Names are strings or arrays of strings; anything else is ignored, arrays in arrays too, as there. A channel name that is empty or has a comma, and a role that
    /// does not begin with `role:`, make a bad result, as there. Other things thrown are exceptions.
    public static func sync(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .sync, owner: owner, source: source),
            arguments: { [.json($0.document), .json($0.oldDocument), .json($0.meta), .user($0.user)] },
            decode: { reader throws(OutcomeError) in try SyncFunctionResult(from: &reader) })
    }
}
