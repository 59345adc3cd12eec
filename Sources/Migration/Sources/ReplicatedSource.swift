import Coordination

/// A server that is replicated into a staging store, which is then read.
///
/// The staging store is persistent; the replication's checkpoint lets a later run continue.
package final class ReplicatedSource: MigrationSource {
    package let label: String
    private let staging: StoreSource
    private let kind: String
    private let replicate: @Sendable () async throws -> [SourceFault]
    private let channels: @Sendable () async -> [String]?

    /// Documents that were not replicated.
    private let faults = Lock<[SourceFault]>([])

    /// - Parameters:
    ///   - staging: The store that is replicated into; closed with the source.
    ///   - kind: Kind of the server.
    ///   - channels: Channels that limit the login; `nil` if the login can read every document, or if this is unknown.
    ///   - replicate: Replicates pending changes and returns the documents that failed. Throws ``SourceError``.
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

    /// Replicates pending changes first, because the summary depends on the staging store.
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
