extension ScriptFunction where Input == ConflictInput, Output == ConflictResolution {
    /// A conflict resolver: `function (conflict) { return conflict.localDocument }`, where `conflict` has `documentID`,
    /// `localDocument` and `remoteDocument`, null where a side is a tombstone. It returns the document to keep, or null to delete it.
    ///
    /// Sync Gateway's resolvers work, too: `conflict.LocalDocument` and `conflict.RemoteDocument` are the sides in its form. `defaultPolicy(conflict)`
    /// chooses as there: a tombstone wins, then the higher generation, then the higher digest; so do `localWinsPolicy(conflict)` and
    /// `remoteWinsPolicy(conflict)`.
    public static func resolver(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .resolver, owner: owner, source: source),
            arguments: {
                [
                    .text($0.documentID), .json($0.localDocument), .json($0.remoteDocument), .text($0.localRevision),
                    .text($0.remoteRevision),
                ]
            },
            decode: { reader throws(OutcomeError) in
                switch reader.letter() {
                case "l": return .local
                case "r": return .remote
                case "d": return .delete
                case "m": return .merged(Array(reader.rest().utf8))
                default: throw .unknown
                }
            })
    }
}
