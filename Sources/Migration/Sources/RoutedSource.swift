import Coordination
package import Gateway

/// A source whose documents get their collections and IDs from routes.
package final class RoutedSource: MigrationSource {
    private let source: any MigrationSource
    private let database: Database
    private let parts = Lock(PartDestinations<Place>())

    private struct Place {
        let collection: CollectionName
        let id: String
    }

    /// - Parameter database: An empty database with the routes.
    package init(_ source: any MigrationSource, by database: Database) {
        self.source = source
        self.database = database
    }

    package var label: String { source.label }

    package func summary() async throws -> SourceSummary { try await source.summary() }

    package func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws { try await source.prepare(progress) }

    package func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        guard var batch = try await source.batch(after: cursor, limits: limits) else { return nil }
        let outcomes = try await database.previewImport(batch.documents.map { ImportedDocument(unloaded: $0) })
        var next = outcomes.makeIterator()
        for (index, item) in batch.items.enumerated() {
            guard case .document(var document) = item, case .success(let outcome) = next.next() else { continue }
            let place = parts.withLock { $0.resolve(document, Place(collection: outcome.collection, id: outcome.id)) }
            (document.collection, document.id) = (place.collection, place.id)
            batch.items[index] = .document(document)
        }
        return batch
    }

    package func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        try await source.readAttachment(attachment, consume)
    }

    package func close() async { await source.close() }
}
