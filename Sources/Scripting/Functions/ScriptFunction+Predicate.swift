extension ScriptFunction where Input == [UInt8], Output == Bool {
    /// A route's condition or an import filter: `function (doc) { return doc.price !== undefined }`. What it returns counts as
    /// JavaScript counts it (`undefined`, `0` and `""` are false); a promise is a bad result. The input is the document's JSON.
    public static func predicate(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .predicate, owner: owner, source: source),
            arguments: { [.json($0)] },
            decode: { reader throws(OutcomeError) in try reader.truth() })
    }
}
