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
