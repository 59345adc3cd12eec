/// What was put back where a run had taken it from.
public struct RevertSummary: Sendable, Equatable {
    public var documents = 0

    /// Among them: refused by the sync function of the collection to which they came back. They keep the channels that they had.
    public var refused = 0

    /// How the channels of the documents change.
    public var sight = SightTally()

    public init() {}

    public static func += (total: inout RevertSummary, part: RevertSummary) {
        total.documents += part.documents
        total.refused += part.refused
        total.sight += part.sight
    }
}
