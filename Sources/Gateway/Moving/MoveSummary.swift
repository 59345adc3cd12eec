/// What a run, or a step of it, did with the documents that it looked at.
public struct MoveSummary: Sendable, Equatable {
    /// By the collection that they went to.
    public var moved: [CollectionName: MoveTally] = [:]

    /// Wanted by no route: they stay where they are.
    public var unmatched = MoveTally()

    /// Wanted by a route whose collection has another document under their ID: they stay, and have to be looked at.
    public var clashes = MoveTally()

    /// Among the moved: refused by the sync function of their new collection. They keep the channels that they had, and have to be looked at.
    public var refused = MoveTally()

    /// How the channels of the moved change.
    public var sight = SightTally()

    public init() {}

    public var examined: Int {
        moved.values.reduce(unmatched.documents + clashes.documents) { $0 + $1.documents }
    }

    public static func += (total: inout MoveSummary, part: MoveSummary) {
        for (name, tally) in part.moved { total.moved[name, default: MoveTally()] += tally }
        total.unmatched += part.unmatched
        total.clashes += part.clashes
        total.refused += part.refused
        total.sight += part.sight
    }
}
