/// Which top-level properties with a leading underscore a document may have, and which of them are metadata.
public struct DocumentPolicy: Hashable, Sendable {
    /// What becomes of a property that begins with an underscore.
    enum Treatment: Hashable, Sendable {
        /// It is metadata, and goes into a field of its own.
        case interpret
        /// It belongs to the user's body.
        case keep
        /// It is left out.
        case drop
        /// It is an error.
        case refuse
    }

    private enum Kind: Hashable, Sendable {
        case legacy, legacyUpstream, modern
    }

    private let kind: Kind

    /// Documents that 1.x clients write: `_id`, `_rev`, `_deleted`, `_revisions`, `_attachments`, `_exp` and `_removed` are metadata; what
    /// clients echo from an answer is dropped; others are refused, as CouchDB and Sync Gateway up to 3.0 do.
    public static let legacy = DocumentPolicy(kind: .legacy)

    /// Documents that a 1.x server sends: like ``legacy``, but unknown properties are kept, since Sync Gateway 3.1+ lets users have them.
    public static let legacyUpstream = DocumentPolicy(kind: .legacyUpstream)

    /// Bodies of BLIP `rev` messages: `_attachments` and `_exp` are metadata; `_id`, `_rev`, `_deleted`, `_revisions`, `_sync`,
    /// `_removed` and `_purged` are refused as Sync Gateway does; others are kept.
    public static let modern = DocumentPolicy(kind: .modern)

    /// Whether of an ordinary property that comes more than once the last counts. A client's write is taken as Sync Gateway takes it. What comes from another
    /// server or a file is refused and put aside, since nobody has chosen one of them.
    var lastDuplicateWins: Bool { kind != .legacyUpstream }

    func treatment(of key: borrowing JSONKey) -> Treatment {
        if key == "_attachments" || key == "_exp" { return .interpret }
        let isCore = key == "_id" || key == "_rev" || key == "_deleted" || key == "_revisions" || key == "_removed"
        if kind == .modern { return isCore || key == "_sync" || key == "_purged" ? .refuse : .keep }
        if isCore { return .interpret }
        if key == "_local_seq" || key == "_conflicts" || key == "_deleted_conflicts" || key == "_revs_info" { return .drop }
        return kind == .legacyUpstream && !(key == "_sync" || key == "_purged") ? .keep : .refuse
    }

    /// The error for a property that is refused, in Sync Gateway's words.
    func refusal(of key: String) -> DocumentError {
        let reason =
            kind == .modern
            ? "top-level property '\(key)' is a reserved internal property"
            : "user defined top level properties beginning with '_' are not allowed in document body"
        return DocumentError(.reservedProperty, reason)
    }
}
