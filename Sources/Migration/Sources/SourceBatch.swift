/// Documents that were read together.
public struct SourceBatch: Sendable {
    public var items: [SourceItem]

    /// The place after the last item.
    public var cursor: SourceCursor

    public init(items: [SourceItem], cursor: SourceCursor) {
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
public struct SourceBatchLimits: Sendable, Equatable {
    public var documents: Int

    /// Bytes of bodies.
    public var bytes: Int

    /// A document with a body of more bytes is a fault, and is not held in memory.
    public var bodyBytes: Int

    /// The same with at most so many documents.
    func limited(to documents: Int) -> SourceBatchLimits {
        SourceBatchLimits(documents: min(self.documents, documents), bytes: bytes, bodyBytes: bodyBytes)
    }

    public init(documents: Int = 5_000, bytes: Int = 4 << 20, bodyBytes: Int = 20 << 20) {
        self.documents = documents
        self.bytes = bytes
        self.bodyBytes = bodyBytes
    }
}

/// A place in a source, in a form of the source's own.
public struct SourceCursor: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// What a source has at one place: a document, or something that should have been one.
public enum SourceItem: Sendable {
    case document(SourceDocument)
    case fault(SourceFault)
}

/// A document, or a revision of one, that cannot be read as it stands.
public struct SourceFault: Sendable, Equatable {
    /// The document's ID, or the nearest to it that can be told: `line 17`.
    public var id: String

    /// The revision, where only one is at fault.
    public var revision: String?

    /// Where it stands in a source in which several may have one ID: `byte 1804137`; empty elsewhere.
    public var place: String

    /// What is wrong, where, and what to do.
    public var reason: String

    /// What the source has, as far as it was read and worth keeping.
    public var bytes: [UInt8]

    /// How many bytes the source has of it: more than are here where it is very large.
    public var length: Int

    /// Whether all that is wrong is that the login may not see it.
    public var isUnseen: Bool

    /// - Parameter length: `nil` if all bytes are here.
    public init(
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
