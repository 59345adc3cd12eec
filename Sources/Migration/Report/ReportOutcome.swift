/// How many documents something happened to, with a few of their IDs.
public struct ReportOutcome: Codable, Sendable, Hashable {
    /// How many examples are kept.
    public static let exampleCount = 5

    public private(set) var documents = 0

    /// The first that came.
    public private(set) var examples: [String] = []

    public init() {}

    /// - Parameter examples: at most ``exampleCount`` of them are kept.
    public init(documents: Int, examples: [String]) {
        self.documents = documents
        self.examples = Array(examples.prefix(Self.exampleCount))
    }

    public mutating func add(_ id: String) {
        documents += 1
        if examples.count < Self.exampleCount { examples.append(id) }
    }

    public static func += (total: inout ReportOutcome, part: ReportOutcome) {
        total.documents += part.documents
        total.examples += part.examples.prefix(exampleCount - total.examples.count)
    }
}
