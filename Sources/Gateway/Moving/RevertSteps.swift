import Storage

/// The steps that revert a run. The next step is prepared while the current one is written.
package struct RevertSteps: Sendable {
    private let database: Database
    private let run: MoveRun
    private var cursor = DocumentKey(0)
    private var prepared: PreparedReverts?

    init(database: Database, run: MoveRun) {
        self.database = database
        self.run = run
    }

    /// Moves back the next documents.
    ///
    /// - Parameter limit: the maximum number of documents of the next prepared step, and of the first step.
    /// - Returns: the counts of the step, which may be zero if others write to its documents; `nil` when all documents are moved back.
    package mutating func next(limit: Int) async throws -> RevertSummary? {
        let (database, run) = (database, run)
        let current = if let prepared { prepared } else { try await database.prepareReverts(of: run, after: cursor, limit: limit) }
        prepared = nil
        guard let last = current.last else {
            guard cursor > DocumentKey(0) else {
                try await database.endReverts(of: run)
                return nil
            }
            // Starts again for the documents that others were writing.
            cursor = DocumentKey(0)
            return RevertSummary()
        }
        async let following = database.prepareReverts(of: run, after: last, limit: limit)
        let summary = try await database.carryOut(current, of: run)
        cursor = last
        prepared = try await following
        return summary
    }
}

/// The counts of a revert, or of one of its steps.
package struct RevertSummary: Sendable, Equatable {
    package var documents = 0

    /// Documents that the sync function refuses in their former collection. They keep their channels.
    package var refused = 0

    /// How the documents' channels change.
    package var sight = AccessChangeTally()

    package init() {}

    package static func += (total: inout RevertSummary, part: RevertSummary) {
        total.documents += part.documents
        total.refused += part.refused
        total.sight += part.sight
    }
}
