/// A batch of documents.
package struct SourceBatch: Sendable {
    package var items: [SourceItem]

    /// Position after the last item.
    package var cursor: SourceCursor

    package init(items: [SourceItem], cursor: SourceCursor) {
        self.items = items
        self.cursor = cursor
    }
}

extension SourceBatch {
    /// The items that are documents.
    var documents: [SourceDocument] {
        items.compactMap { if case .document(let document) = $0 { document } else { nil } }
    }
}

/// Limits of a batch. A batch ends with the document that reaches a limit, and contains at least one.
package struct SourceBatchLimits: Sendable, Equatable {
    package var documents: Int

    /// Total bytes of bodies.
    package var bytes: Int

    /// Largest body in bytes. A document with a larger body is a fault and is not read into memory.
    package var bodyBytes: Int

    /// These limits with a lower limit of documents.
    func limited(to documents: Int) -> SourceBatchLimits {
        SourceBatchLimits(documents: min(self.documents, documents), bytes: bytes, bodyBytes: bodyBytes)
    }

    package init(documents: Int = 5_000, bytes: Int = 4 << 20, bodyBytes: Int = 20 << 20) {
        self.documents = documents
        self.bytes = bytes
        self.bodyBytes = bodyBytes
    }
}

/// A position in a source, in the source's own format.
package struct SourceCursor: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// An item of a source: a document, or a fault in its place.
package enum SourceItem: Sendable {
    case document(SourceDocument)
    case fault(SourceFault)
}

/// A document that cannot be read, or one revision of it.
package struct SourceFault: Error, Equatable {
    /// The document's ID, or the best available reference: `line 17`.
    package var id: String

    /// The revision, if only one is at fault.
    package var revision: String?

    /// Position in a source that may have several rows for one ID: `byte 1804137`; empty for other sources.
    package var place: String

    /// The problem, its location and its remedy.
    package var reason: String

    /// The source's content, possibly truncated.
    package var bytes: [UInt8]

    /// Length of the source's content in bytes; more than `bytes.count` if it was truncated.
    package var length: Int

    /// Whether the only problem is that the login cannot read the document or revision.
    package var isUnseen: Bool

    /// - Parameter length: `nil` if `bytes` is complete.
    package init(
        id: String, revision: String? = nil, place: String = "", reason: String, bytes: [UInt8] = [], length: Int? = nil,
        isUnseen: Bool = false
    ) {
        self.id = id
        self.revision = revision
        self.place = place
        self.reason = reason
        self.bytes = bytes
        self.length = length ?? bytes.count
        self.isUnseen = isUnseen
    }
}
