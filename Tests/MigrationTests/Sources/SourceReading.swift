import Foundation
import Migration

/// Helpers that read sources.
enum SourceReading {
    /// All items of a source, read in small batches.
    static func items(_ source: any MigrationSource, limits: SourceBatchLimits = SourceBatchLimits(documents: 3)) async throws
        -> [SourceItem]
    {
        var items: [SourceItem] = []
        var cursor: SourceCursor?
        while let batch = try await source.batch(after: cursor, limits: limits) {
            items += batch.items
            cursor = batch.cursor
        }
        return items
    }

    /// All items at a path, with the source opened again for each batch.
    static func itemsReopening(_ path: String, limits: SourceBatchLimits = SourceBatchLimits(documents: 2)) async throws -> [SourceItem] {
        var items: [SourceItem] = []
        var cursor: SourceCursor?
        while true {
            let source = try SourceOpener.open(path: path)
            let batch = try await source.batch(after: cursor, limits: limits)
            await source.close()
            guard let batch else { return items }
            items += batch.items
            cursor = batch.cursor
        }
    }

    static func bytes(of attachment: SourceAttachment, in source: any MigrationSource) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await source.readAttachment(attachment) { bytes += $0 }
        return bytes
    }
}

extension [SourceItem] {
    var documents: [SourceDocument] {
        compactMap { if case .document(let document) = $0 { document } else { nil } }
    }

    var faults: [SourceFault] {
        compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
    }

    func document(_ id: String) -> SourceDocument? {
        documents.first { $0.id.utf8.elementsEqual(id.utf8) }
    }
}
