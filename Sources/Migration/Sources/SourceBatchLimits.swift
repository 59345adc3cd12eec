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
