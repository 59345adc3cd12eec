public import Gateway
import Synchronization

/// A source whose documents have the collections and IDs that routes give them.
public final class RoutedSource: MigrationSource {
    private let source: any MigrationSource
    private let database: Database
    private let parts = Mutex(PartDestinations<Place>())

    private struct Place {
        let collection: CollectionName
        let id: String
    }

    /// - Parameter database: an empty one with the routes.
    public init(_ source: any MigrationSource, by database: Database) {
        self.source = source
        self.database = database
    }

    public var label: String { source.label }

    public func summary() async throws -> SourceSummary { try await source.summary() }

    public func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws { try await source.prepare(progress) }

    public func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        guard var batch = try await source.batch(after: cursor, limits: limits) else { return nil }
        let outcomes = try await database.previewImport(batch.documents.map { ImportedDocument(unloaded: $0) })
        var next = outcomes.makeIterator()
        for (index, item) in batch.items.enumerated() {
            guard case .document(var document) = item, case .success(let outcome) = next.next() else { continue }
            let place = parts.withLock { $0.settle(document, Place(collection: outcome.collection, id: outcome.id)) }
            (document.collection, document.id) = (place.collection, place.id)
            batch.items[index] = .document(document)
        }
        return batch
    }

    public func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        try await source.readAttachment(attachment, consume)
    }

    public func close() async { await source.close() }
}
