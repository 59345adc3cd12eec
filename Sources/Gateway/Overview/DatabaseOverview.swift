public import Storage

/// What a database holds, in short: whatever its size, a few rows are read for it.
public struct DatabaseOverview: Sendable {
    /// The last sequence that was given out.
    public let lastSequence: Sequence
    public let unified: DocumentCounts
    public let collections: [CollectionOverview]

    /// At most as many as were asked for; the latest made come first.
    public let conflicts: [ConflictOverview]

    /// Runs that brought documents in from elsewhere, the last one first.
    public let imports: [MigrationRunRecord]
}
