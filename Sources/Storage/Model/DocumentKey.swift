/// The store's own name for a document: stays the same when the document moves.
public struct DocumentKey: Hashable, Comparable, Sendable {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    public static func < (a: DocumentKey, b: DocumentKey) -> Bool { a.value < b.value }
}
