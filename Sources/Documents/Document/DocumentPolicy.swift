/// Which top-level properties with a leading underscore a document may have, and which of them are metadata.
package struct DocumentPolicy: Hashable, Sendable {
    /// How a property with a leading underscore is processed.
    enum Treatment: Hashable, Sendable {
        /// It is metadata, stored in a separate field.
        case interpret
        /// It is part of the user's body.
        case keep
        /// It is omitted.
        case drop
        /// It is an error.
        case refuse
    }

    private enum Kind: Hashable, Sendable {
        case legacy, legacyUpstream, modern
    }

    private let kind: Kind

    /// Documents written by 1.x clients.
    ///
    /// - `_id`, `_rev`, `_deleted`, `_revisions`, `_attachments`, `_exp` and `_removed` are metadata.
    /// - Metadata that clients echo from a response is dropped.
    /// - All others are refused, as CouchDB and Sync Gateway up to 3.0 do.
    package static let legacy = DocumentPolicy(kind: .legacy)

    /// Documents sent by a 1.x server: like ``legacy``, but unknown properties are kept, because Sync Gateway 3.1+ allows them.
    package static let legacyUpstream = DocumentPolicy(kind: .legacyUpstream)

    /// Bodies of BLIP `rev` messages.
    ///
    /// - `_attachments` and `_exp` are metadata.
    /// - `_id`, `_rev`, `_deleted`, `_revisions`, `_sync`, `_removed` and `_purged` are refused, as Sync Gateway does.
    /// - All others are kept.
    package static let modern = DocumentPolicy(kind: .modern)

    /// Whether the last of several properties with the same key applies.
    ///
    /// Clients' writes follow Sync Gateway, which uses the last. Documents from other servers and files with duplicate keys are refused and
    /// quarantined, because no writer chose one of the values.
    var lastDuplicateWins: Bool { kind != .legacyUpstream }

    func treatment(of key: borrowing JSONKey) -> Treatment {
        if key == "_attachments" || key == "_exp" { return .interpret }
        let isCore = key == "_id" || key == "_rev" || key == "_deleted" || key == "_revisions" || key == "_removed"
        if kind == .modern { return isCore || key == "_sync" || key == "_purged" ? .refuse : .keep }
        if isCore { return .interpret }
        if key == "_local_seq" || key == "_conflicts" || key == "_deleted_conflicts" || key == "_revs_info" { return .drop }
        return kind == .legacyUpstream && !(key == "_sync" || key == "_purged") ? .keep : .refuse
    }

    /// The error for a refused property, with Sync Gateway's message.
    func refusal(of key: String) -> DocumentError {
        let reason =
            kind == .modern
            ? "top-level property '\(key)' is a reserved internal property"
            : "user defined top level properties beginning with '_' are not allowed in document body"
        return DocumentError(.reservedProperty, reason)
    }
}
