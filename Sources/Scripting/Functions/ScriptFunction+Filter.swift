extension ScriptFunction where Input == FilterInput, Output == Bool {
    /// A replication filter: `function (doc, req) { return doc.owner == req.query.owner }`. What it returns counts as in
    /// ``predicate(_:owner:)``. CouchDB's `isArray`, `toJSON` and `sum` are there.
    public static func filter(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .filter, owner: owner, source: source),
            arguments: { [.json($0.document), .json($0.request)] },
            decode: { reader throws(OutcomeError) in try reader.truth() })
    }
}
