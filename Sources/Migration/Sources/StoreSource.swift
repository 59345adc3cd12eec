import Documents
import Gateway
package import Storage

/// A Dualgauge store, read collection by collection in feed order.
///
/// A cursor contains a position per collection, so that later changes come after it.
package final class StoreSource: MigrationSource {
    /// Bytes of an attachment per read.
    private static let partSize = 256 << 10

    package let label: String
    private let store: any Store
    private let includesHidden: Bool

    /// - Parameters:
    ///   - store: The store; closed with the source.
    ///   - includesHidden: Whether to read collections that are hidden from legacy clients.
    package init(_ store: any Store, label: String, includesHidden: Bool = true) {
        self.store = store
        self.label = label
        self.includesHidden = includesHidden
    }

    package func summary() async throws -> SourceSummary {
        try await reading { [includesHidden] snapshot in
            let collections = try snapshot.collections().filter { includesHidden || !$0.isHidden }
            let documents = try collections.reduce(0) { count, collection in
                let counts = try snapshot.counts(.collection(collection.key))
                return count + Int(counts.live + counts.tombstones)
            }
            return SourceSummary(
                kind: "Dualgauge store", identity: Hex.text(try snapshot.uuid), documents: documents,
                collections: collections.map { CollectionName(scope: $0.scope, name: $0.name) }.filter { $0 != .default })
        }
    }

    package func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        let position = try StorePosition(cursor)
        let label = label
        return try await reading { [includesHidden] snapshot in
            var reader = StoreBatchReader(
                snapshot: snapshot, position: position, limits: limits, label: label, includesHidden: includesHidden)
            return try reader.read()
        }
    }

    package func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        let record = try await reading { snapshot in try attachment.digest.flatMap { try snapshot.attachment($0) } }
        guard let record else {
            throw SourceError(.attachmentMissing, "\(label) has no bytes of \(attachment.digest.map(\.description) ?? attachment.name)")
        }
        var offset: Int64 = 0
        while offset < record.length {
            let from = offset
            let part = try await reading { try $0.attachmentBytes(record, offset: from, count: Self.partSize) }
            try await consume(part[...])
            offset += Int64(part.count)
        }
    }

    package func close() async {
        try? await store.close()
    }

    func reading<Value: Sendable>(_ work: @escaping @Sendable (any StoreSnapshot) throws -> Value) async throws -> Value {
        do {
            return try await store.read(work)
        } catch let error as StorageError {
            throw SourceError(Self.code(of: error), error.message, cause: error.cause)
        }
    }

    private static func code(of error: StorageError) -> SourceError.Code {
        switch error.code {
        case .corrupt: .damaged
        case .notFound, .notAStore, .newerSchema, .olderSchema, .readOnly, .full, .busy, .inputOutput, .conflict, .invalidArgument, .fenced,
            .closed, .moved, .replaced, .unexpected:
            .unreachable
        }
    }
}

extension StoreSource: LegacyIDSource {
    func legacyIDs(of documents: [SourceDocument]) async throws -> [String?] {
        let names = documents.map { ($0.collection, $0.id) }
        return try await reading { snapshot in
            let collections = try snapshot.collections()
            let keys = Dictionary(
                collections.map { (CollectionName(scope: $0.scope, name: $0.name), $0.key) }, uniquingKeysWith: { $1 })
            return try names.map { collection, id in
                guard let document = try keys[collection].flatMap({ try snapshot.document(in: $0, id: id) }) else { return nil }
                // A document that moved to a hidden collection keeps its former legacy ID as a departure.
                return try document.unifiedID ?? document.key.flatMap { try snapshot.legacyID(of: $0) }
            }
        }
    }
}

/// A source whose documents have legacy IDs, which are their IDs in the flat keyspace of legacy clients.
protocol LegacyIDSource: MigrationSource {
    /// - Returns: The legacy ID of each document; `nil` for a document that was never in the flat keyspace.
    func legacyIDs(of documents: [SourceDocument]) async throws -> [String?]
}

extension MigrationSource {
    /// The IDs in a flat keyspace. By default, documents of the default collection have their own ID, and others have none.
    func flatIDs(of documents: [SourceDocument]) async throws -> [String?] {
        if let named = self as? any LegacyIDSource { return try await named.legacyIDs(of: documents) }
        return documents.map { $0.collection == .default ? $0.id : nil }
    }
}
