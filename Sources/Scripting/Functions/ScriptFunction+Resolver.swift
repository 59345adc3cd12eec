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

/// Two branches of a document, as a conflict resolver sees them.
public struct ConflictInput: Hashable, Sendable {
    /// The document's ID.
    public let documentID: String
    /// The JSON of the revision on this side; nil if it is a tombstone.
    public let localDocument: [UInt8]?
    /// The JSON of the revision on the other side; nil if it is a tombstone.
    public let remoteDocument: [UInt8]?

    /// The ID of the revision on this side; empty if it has none.
    public let localRevision: String
    /// The ID of the revision on the other side; empty if it has none.
    public let remoteRevision: String

    /// A conflict of two revisions, each as JSON.
    public init(
        documentID: String, localDocument: [UInt8]?, remoteDocument: [UInt8]?, localRevision: String = "", remoteRevision: String = ""
    ) {
        self.documentID = documentID
        self.localDocument = localDocument
        self.remoteDocument = remoteDocument
        self.localRevision = localRevision
        self.remoteRevision = remoteRevision
    }
}

/// What a conflict resolver decided.
public enum ConflictResolution: Hashable, Sendable {
    /// The local revision as it is: keep its bytes, for JavaScript's numbers are not exact (`1e400`, 20-digit integers).
    case local
    /// The remote revision as it is: keep its bytes.
    case remote
    /// A document of the function's making, as JSON; its numbers are what JavaScript made of them.
    case merged([UInt8])
    /// The document is to be deleted.
    case delete
}
