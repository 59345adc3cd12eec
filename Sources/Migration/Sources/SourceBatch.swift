/// Documents that were read together.
package struct SourceBatch: Sendable {
    package var items: [SourceItem]

    /// The place after the last item.
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

/// How much one batch may hold. A batch ends with the document that reaches a limit, and has at least one.
package struct SourceBatchLimits: Sendable, Equatable {
    package var documents: Int

    /// Bytes of bodies.
    package var bytes: Int

    /// A document with a body of more bytes is a fault, and is not held in memory.
    package var bodyBytes: Int

    /// The same with at most so many documents.
    func limited(to documents: Int) -> SourceBatchLimits {
        SourceBatchLimits(documents: min(self.documents, documents), bytes: bytes, bodyBytes: bodyBytes)
    }

    package init(documents: Int = 5_000, bytes: Int = 4 << 20, bodyBytes: Int = 20 << 20) {
        self.documents = documents
        self.bytes = bytes
        self.bodyBytes = bodyBytes
    }
}

/// A place in a source, in a form of the source's own.
package struct SourceCursor: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// What a source has at one place: a document, or something that should have been one.
package enum SourceItem: Sendable {
    case document(SourceDocument)
    case fault(SourceFault)
}

/// A document, or a revision of one, that cannot be read as it stands.
package struct SourceFault: Sendable, Equatable {
    /// The document's ID, or the nearest to it that can be told: `line 17`.
    package var id: String

    /// The revision, where only one is at fault.
    package var revision: String?

    /// Where it stands in a source in which several may have one ID: `byte 1804137`; empty elsewhere.
    package var place: String

    /// What is wrong, where, and what to do.
    package var reason: String

    /// What the source has, as far as it was read and worth keeping.
    package var bytes: [UInt8]

    /// How many bytes the source has of it: more than are here where it is very large.
    package var length: Int

    /// Whether all that is wrong is that the login may not see it.
    package var isUnseen: Bool

    /// - Parameter length: `nil` if all bytes are here.
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
