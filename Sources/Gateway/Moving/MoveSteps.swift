package import Storage

/// The steps of a run that moves documents. The next step is prepared while the current one is written.
package struct MoveSteps: Sendable {
    private let database: Database

    /// The run with its progress.
    package private(set) var run: MoveRun
    private let allowsNewGrants: Bool
    private var prepared: PreparedMoves?

    init(database: Database, run: MoveRun, allowsNewGrants: Bool) {
        self.database = database
        self.run = run
        self.allowsNewGrants = allowsNewGrants
    }

    /// Examines the next documents of the default collection, and moves those that match a route.
    ///
    /// - Parameter limit: the maximum number of documents of the next prepared step, and of the first step.
    /// - Returns: the counts of the step; `nil` when no documents are left and the run is done.
    package mutating func next(limit: Int) async throws -> MoveSummary? {
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
        // If a document changed meanwhile, the next step starts with it.
        if step.run.cursor == last { prepared = try await following }
        return step.summary
    }
}

/// The counts of a run, or of one of its steps.
package struct MoveSummary: Sendable, Equatable {
    /// By target collection.
    package var moved: [CollectionName: MoveTally] = [:]

    /// Documents that match no route: they stay in their collection.
    package var unmatched = MoveTally()

    /// Documents whose target collection has another document with their ID: they stay, and need an operator's attention.
    package var clashes = MoveTally()

    /// Moved documents that the target collection's sync function refuses: they keep their channels, and need an operator's attention.
    package var refused = MoveTally()

    /// How the moved documents' channels change.
    package var sight = AccessChangeTally()

    package init() {}

    package var examined: Int {
        moved.values.reduce(unmatched.documents + clashes.documents) { $0 + $1.documents }
    }

    package static func += (total: inout MoveSummary, part: MoveSummary) {
        for (name, tally) in part.moved { total.moved[name, default: MoveTally()] += tally }
        total.unmatched += part.unmatched
        total.clashes += part.clashes
        total.refused += part.refused
        total.sight += part.sight
    }
}

/// The documents that were moved into one collection, or would be.
package struct MoveTally: Sendable, Equatable, Codable {
    package var documents = 0
    package var tombstones = 0
    package var conflicts = 0
    package var attachments = 0

    /// The size of the winning bodies, in bytes.
    package var bytes = 0

    /// The first few IDs.
    package var examples: [String] = []

    package init() {}

    static let exampleCount = 5

    package static func += (total: inout MoveTally, part: MoveTally) {
        total.documents += part.documents
        total.tombstones += part.tombstones
        total.conflicts += part.conflicts
        total.attachments += part.attachments
        total.bytes += part.bytes
        total.examples = Array((total.examples + part.examples).prefix(exampleCount))
    }
}
