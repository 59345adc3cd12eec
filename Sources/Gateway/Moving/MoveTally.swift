/// What was moved into one collection, or would be.
public struct MoveTally: Sendable, Equatable, Codable {
    public var documents = 0
    public var tombstones = 0
    public var conflicts = 0
    public var attachments = 0

    /// Bytes of the winning bodies.
    public var bytes = 0

    /// A few IDs, in the order in which they came.
    public var examples: [String] = []

    public init() {}

    static let exampleCount = 5

    public static func += (total: inout MoveTally, part: MoveTally) {
        total.documents += part.documents
        total.tombstones += part.tombstones
        total.conflicts += part.conflicts
        total.attachments += part.attachments
        total.bytes += part.bytes
        total.examples = Array((total.examples + part.examples).prefix(exampleCount))
    }
}
