extension ScriptFunction where Input == ConflictInput, Output == ConflictResolution {
    /// A conflict resolver: `function (conflict) { return conflict.localDocument }`. `conflict` has `documentID`, `localDocument` and
    /// `remoteDocument`; a tombstone is null. The function returns the winning document, or null to delete the document.
    ///
    /// Sync Gateway's resolvers are supported: `conflict.LocalDocument` and `conflict.RemoteDocument` are the two sides in its form.
    /// `defaultPolicy(conflict)` chooses as in Sync Gateway: a tombstone wins, then the higher generation, then the higher digest.
    /// `localWinsPolicy(conflict)` and `remoteWinsPolicy(conflict)` are available, too.
    package static func resolver(_ source: String, owner: String) -> ScriptFunction {
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

/// The input of a conflict resolver: two branches of a document.
package struct ConflictInput: Hashable, Sendable {
    /// The document's ID.
    package let documentID: String
    /// The JSON of the local revision; `nil` for a tombstone.
    package let localDocument: [UInt8]?
    /// The JSON of the remote revision; `nil` for a tombstone.
    package let remoteDocument: [UInt8]?

    /// The ID of the local revision; empty if it has none.
    package let localRevision: String
    /// The ID of the remote revision; empty if it has none.
    package let remoteRevision: String

    /// Creates a conflict of two revisions, each as JSON.
    package init(
        documentID: String, localDocument: [UInt8]?, remoteDocument: [UInt8]?, localRevision: String = "", remoteRevision: String = ""
    ) {
        self.documentID = documentID
        self.localDocument = localDocument
        self.remoteDocument = remoteDocument
        self.localRevision = localRevision
        self.remoteRevision = remoteRevision
    }
}

/// The result of a conflict resolver.
package enum ConflictResolution: Hashable, Sendable {
    /// The unchanged local revision. Use its original bytes, because JavaScript does not represent all numbers exactly (`1e400`, 20-digit
    /// integers).
    case local
    /// The unchanged remote revision. Use its original bytes.
    case remote
    /// A new document as JSON, with numbers as JavaScript represents them.
    case merged([UInt8])
    /// Delete the document.
    case delete
}
