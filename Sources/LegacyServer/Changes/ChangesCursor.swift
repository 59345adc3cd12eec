import Gateway
import LegacyProtocol
import Storage

/// Goes through a feed batch by batch, with the limit of the whole request in mind.
struct ChangesCursor: Sendable {
    private var query: ChangesQuery
    private let filter: ChangesFilter?

    /// What tells a feed that stays open of what is new; `nil` for one that does not.
    private let commits: CommitSubscription?
    private let batchSize: Int

    /// Descending rows cannot be gone on from where they were left: one batch has to do.
    private let descendingLimit: Int

    /// How many rows may still go out; `nil` for any number.
    private(set) var remaining: Int?

    /// Whether the feed had nothing more when it was last read.
    private(set) var isCaughtUp = false

    /// Up to where deletions are left out of a feed of active documents: what is deleted later, the client may have been sent before. `nil` before the
    /// first batch.
    private var start: FeedPosition?

    init(
        _ options: ChangesOptions, since: FeedPosition, filter: ChangesFilter? = nil, following commits: CommitSubscription? = nil,
        limits: LegacyLimits
    ) {
        self.filter = filter
        self.commits = commits
        query = ChangesQuery()
        query.since = since
        query.allLeaves = options.allLeaves
        query.activeOnly = options.activeOnly
        query.descending = options.descending
        query.channels = options.channels
        query.includesRevocations = true
        query.documentIDs = options.documentIDs
        batchSize = limits.changesBatch
        descendingLimit = limits.descendingChanges
        remaining = options.limit
    }

    /// Whether it is that of a feed that waits for more.
    var staysOpen: Bool { commits != nil }

    /// Where the client goes on.
    var position: FeedPosition { query.since }

    /// Whether all rows that were asked for have been read.
    var isExhausted: Bool { remaining == 0 }

    /// Reads the next rows. None may come although there are more, where a filter leaves many out.
    mutating func next(from keyspace: Keyspace) async throws -> [ChangeRow] {
        guard !isExhausted else { return [] }
        query.limit = min(batchSize, isFiltered ? batchSize : remaining ?? batchSize)
        if query.descending { query.limit = min(isFiltered ? .max : remaining ?? .max, descendingLimit + 1) }
        if query.activeOnly, start == nil { start = FeedPosition(try await keyspace.lastSequence()) }
        var batch = if let commits { try await keyspace.changes(query, following: commits) } else { try await keyspace.changes(query) }
        guard !query.descending || batch.rows.count <= descendingLimit else {
            throw LegacyError(.badRequest, "A descending feed has to have a limit of at most \(descendingLimit)")
        }
        if query.activeOnly, !query.descending, let start { batch.end(at: start) }
        if let filter { batch.rows = try await LegacyError.ofFilter { try await filter.select(batch.rows) } }
        if let remaining, batch.rows.count > remaining {
            batch.rows.removeSubrange(remaining...)
            batch.position = batch.rows.last?.position ?? query.since
            batch.isCaughtUp = false
        }
        remaining = remaining.map { $0 - batch.rows.count }
        isCaughtUp = batch.isCaughtUp || query.descending
        query.since = batch.position
        // Sync Gateway tells of what comes next, too.
        if let start, query.since >= start { query.activeOnly = false }
        return batch.rows
    }

    /// How many rows are left behind the last one of a limit: counted where all are seen, else those of one batch.
    func pending(in keyspace: Keyspace) async throws -> Int {
        guard isExhausted, !isCaughtUp else { return 0 }
        if !isFiltered, let count = try await keyspace.changeCount(after: position, limit: Self.countedRows) { return count }
        var rest = self
        rest.remaining = nil
        return try await rest.next(from: keyspace).count
    }

    /// More rows than these are not counted: a feed that ends shall cost little.
    private static var countedRows: Int { 100_000 }

    private var isFiltered: Bool { query.activeOnly || query.documentIDs != nil || query.channels != nil || filter != nil }
}
