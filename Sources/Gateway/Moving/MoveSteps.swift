public import Storage

/// The steps of a run that moves documents. While one is written the next is read and judged.
public struct MoveSteps: Sendable {
    private let database: Database

    /// The run, as far as it has come.
    public private(set) var run: MoveRun
    private let allowsNewGrants: Bool
    private var prepared: PreparedMoves?

    init(database: Database, run: MoveRun, allowsNewGrants: Bool) {
        self.database = database
        self.run = run
        self.allowsNewGrants = allowsNewGrants
    }

    /// Looks at the next documents of the default collection and moves those that a route wants.
    ///
    /// - Parameter limit: how many documents the step after this one has at most; the first has as many.
    /// - Returns: what the step did; `nil` when there is nothing behind the run's cursor. The run is then done.
    public mutating func next(limit: Int) async throws -> MoveSummary? {
        let (database, run) = (database, run)
        let current = if let prepared { prepared } else { try await database.prepareMoves(after: run.cursor, limit: limit) }
        prepared = nil
        guard let last = current.last else {
            try await database.endMoves(run)
            return nil
        }
        async let following = database.prepareMoves(after: last, limit: limit)
        let step = try await database.carryOut(current, in: run, allowsNewGrants: allowsNewGrants)
        self.run = step.run
        // Where a document had changed meanwhile, the next step begins with it.
        if step.run.cursor == last { prepared = try await following }
        return step.summary
    }
}

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
    public var sight = AccessChangeTally()

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
