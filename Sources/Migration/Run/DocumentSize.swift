import Documents

/// How large a document of a source is.
struct DocumentSize: Sendable {
    /// Bytes of all bodies.
    private(set) var bodies = 0

    /// Bytes of the leaves' attachments, as far as the source says.
    private(set) var attachments = 0

    var total: Int { bodies + attachments }

    init(_ document: SourceDocument) {
        for revision in document.revisions {
            bodies += revision.body.count
            guard revision.isLeaf, let named = revision.attachments else { continue }
            for entry in named.entries { attachments += entry.storedLength ?? 0 }
        }
    }
}
