import Gateway
import LegacyProtocol
import Storage

/// Reads a feed batch by batch, up to the limit of the whole request.
struct ChangesCursor: Sendable {
    private var query: ChangesQuery
    private let filter: ChangesFilter?

    /// Notifies a feed that stays open of commits; `nil` for other feeds.
    private let commits: CommitSubscription?
    private let batchSize: Int

    /// Rows that were read beyond the last ones; `nil` if there are none.
    private var ahead: ChangesBatch?

    /// The maximum number of rows of a descending feed, which are read in one batch because reading cannot be resumed.
    private let descendingLimit: Int

    /// How many more rows may be sent; `nil` for no limit.
    private(set) var remaining: Int?

    /// Whether the last read has reached the end of the feed.
    private(set) var isCaughtUp = false

    /// The position up to which a feed of active documents omits deletions. Later deletions may concern documents that the client has received.
    /// `nil` before the first batch.
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
        query.readsAhead = options.limit == nil
        query.channels = options.channels
        query.includesRevocations = true
        query.documentIDs = options.documentIDs
        batchSize = limits.changesBatch
        descendingLimit = limits.descendingChanges
        remaining = options.limit
    }

    /// Whether the feed waits for further changes.
    var staysOpen: Bool { commits != nil }

    /// The position at which the client continues.
    var position: FeedPosition { query.since }

    /// Whether the requested number of rows was read.
    var isExhausted: Bool { remaining == 0 }

    /// Reads the next rows. The result may be empty although there are more rows, if a filter omits many.
    mutating func next(from keyspace: Keyspace) async throws -> [ChangeRow] {
        guard !isExhausted else { return [] }
        query.limit = min(batchSize, isFiltered ? batchSize : remaining ?? batchSize)
        if query.descending { query.limit = min(isFiltered ? .max : remaining ?? .max, descendingLimit + 1) }
        if query.activeOnly, start == nil { start = FeedPosition(try await keyspace.lastSequence()) }
        var batch = if let ahead { ahead } else { try await read(from: keyspace) }
        ahead = query.descending ? nil : batch.split(after: query.limit)
        if let filter { batch.rows = try await LegacyError.ofFilter { try await filter.select(batch.rows) } }
        if let remaining, batch.rows.count > remaining {
            batch.rows.removeSubrange(remaining...)
            batch.position = batch.rows.last?.position ?? query.since
            batch.isCaughtUp = false
            ahead = nil
        }
        remaining = remaining.map { $0 - batch.rows.count }
        isCaughtUp = batch.isCaughtUp || query.descending
        query.since = batch.position
        // Sync Gateway also sends later deletions.
        if let start, query.since >= start { query.activeOnly = false }
        return batch.rows
    }

    private func read(from keyspace: Keyspace) async throws -> ChangesBatch {
        var batch = if let commits { try await keyspace.changes(query, following: commits) } else { try await keyspace.changes(query) }
        guard !query.descending || batch.rows.count <= descendingLimit else {
            throw LegacyError(.badRequest, "A descending feed has to have a limit of at most \(descendingLimit)")
        }
        if query.activeOnly, !query.descending, let start { batch.end(at: start) }
        return batch
    }

    /// The number of rows after the last one if the limit was reached: the exact count if the feed has no filter, otherwise the count of one
    /// batch.
    func pending(in keyspace: Keyspace) async throws -> Int {
        guard isExhausted, !isCaughtUp else { return 0 }
        if !isFiltered, let count = try await keyspace.changeCount(after: position, limit: Self.countedRows) { return count }
        var rest = self
        rest.remaining = nil
        return try await rest.next(from: keyspace).count
    }

    /// The maximum number of rows to count, so that the end of a feed stays cheap.
    private static var countedRows: Int { 100_000 }

    private var isFiltered: Bool { query.activeOnly || query.documentIDs != nil || query.channels != nil || filter != nil }
}
