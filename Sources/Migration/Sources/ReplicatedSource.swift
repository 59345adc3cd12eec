import Synchronization

/// A server that is read by replicating it into a store beside the target, which is read then.
///
/// The store stays: reading goes on where it stopped, by the replication's own checkpoint.
package final class ReplicatedSource: MigrationSource {
    package let label: String
    private let staging: StoreSource
    private let kind: String
    private let replicate: @Sendable () async throws -> [SourceFault]
    private let channels: @Sendable () async -> [String]?

    /// What did not come.
    private let faults = Mutex<[SourceFault]>([])

    /// - Parameters:
    ///   - staging: the store that is replicated into; closed with the source.
    ///   - kind: what the server is.
    ///   - channels: the channels that the login sees there; `nil` for everything, and where it cannot be told.
    ///   - replicate: brings the store up to date, and tells which documents did not come. Throws ``SourceError``.
    package init(
        _ staging: StoreSource, label: String, kind: String, channels: @escaping @Sendable () async -> [String]? = { nil },
        replicate: @escaping @Sendable () async throws -> [SourceFault]
    ) {
        self.staging = staging
        self.label = label
        self.kind = kind
        self.channels = channels
        self.replicate = replicate
    }

    /// Brings the store up to date: the server is read before anything can be said of it.
    package func summary() async throws -> SourceSummary {
        let lost = try await replicate()
        faults.withLock { $0 = lost }
        var summary = try await staging.summary()
        summary.kind = kind
        summary.seenChannels = await channels()
        return summary
    }

    package func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        let lost = faults.withLock { $0 }
        if cursor == nil, !lost.isEmpty {
            return SourceBatch(items: lost.map { .fault($0) }, cursor: try StorePosition(nil).cursor)
        }
        return try await staging.batch(after: cursor, limits: limits)
    }

    package func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        try await staging.readAttachment(attachment, consume)
    }

    package func close() async {
        await staging.close()
    }
}
