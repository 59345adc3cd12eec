import Storage

/// The steps that undo a run. While one is written the next is read and judged.
public struct RevertSteps: Sendable {
    private let database: Database
    private let run: MoveRun
    private var cursor = DocumentKey(0)
    private var prepared: PreparedReverts?

    init(database: Database, run: MoveRun) {
        self.database = database
        self.run = run
    }

    /// Puts back the next documents.
    ///
    /// - Parameter limit: how many documents the step after this one has at most; the first has as many.
    /// - Returns: what was put back, which may be nothing if others are writing to the next ones; `nil` when all are back.
    public mutating func next(limit: Int) async throws -> RevertSummary? {
        let (database, run) = (database, run)
        let current = if let prepared { prepared } else { try await database.prepareReverts(of: run, after: cursor, limit: limit) }
        prepared = nil
        guard let last = current.last else {
            guard cursor > DocumentKey(0) else {
                try await database.endReverts(of: run)
                return nil
            }
            // Once more from the beginning, for those that others were writing to.
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

/// What was put back where a run had taken it from.
public struct RevertSummary: Sendable, Equatable {
    public var documents = 0

    /// Among them: refused by the sync function of the collection to which they came back. They keep the channels that they had.
    public var refused = 0

    /// How the channels of the documents change.
    public var sight = AccessChangeTally()

    public init() {}

    public static func += (total: inout RevertSummary, part: RevertSummary) {
        total.documents += part.documents
        total.refused += part.refused
        total.sight += part.sight
    }
}
