import Documents
public import Gateway
import Storage

/// What a store keeps of documents that runs could not write.
///
/// A document leaves it when a run writes it, whole, or when it is tried again with success.
public struct Quarantine: Sendable {
    /// What trying again has come to.
    public struct Retried: Sendable, Equatable {
        public var written = 0

        /// What still cannot be written, and why now.
        public var remaining: [QuarantinedDocument] = []

        public init() {}
    }

    /// Documents that are looked at together: each may be as large as documents are.
    static let batch = 4

    private let database: Database

    public init(_ database: Database) {
        self.database = database
    }

    public func count() async throws -> Int {
        try await database.inSnapshot { try $0.quarantineCount() }
    }

    /// Goes through all that is kept, in the order in which it came.
    public func each(_ visit: (QuarantinedDocument, QuarantineOrigin) throws -> Void) async throws {
        try await eachBatch { records in
            for record in records { try visit(QuarantinedDocument(record), QuarantineOrigin(record)) }
        }
    }

    /// Tries to write everything that is kept again.
    ///
    /// - Parameter source: where attachments are that were missing; `nil` if what is kept has to do.
    /// - Throws: ``SourceError`` if the source cannot be read, and what the store throws.
    public func retry(from source: (any MigrationSource)?) async throws -> Retried {
        var retried = Retried()
        try await eachBatch { records in
            for record in records {
                if let reason = try await retry(record, from: source ?? EmptySource()) {
                    var remaining = QuarantinedDocument(record)
                    remaining.reason = reason
                    retried.remaining.append(remaining)
                } else {
                    retried.written += 1
                }
            }
        }
        return retried
    }

    /// - Returns: why the document still cannot be written; `nil` if it is written.
    private func retry(_ record: QuarantineRecord, from source: any MigrationSource) async throws -> String? {
        guard let document = RevisionList.decode(record.bytes, collection: CollectionName(record.collection) ?? .default) else {
            return "\(record.reason) (what is kept is no document; mend it at the source, and run the migration again)"
        }
        let batch = SourceBatch(items: [.document(document)], cursor: SourceCursor(rawValue: ""))
        let prepared = try await BatchPreparation(source: source, database: database).prepare(batch)
        if let fault = prepared.faults.first { return try await keep(record, fault.reason) }
        let results = try await database.importDocuments(prepared.plans, attachments: prepared.attachments) { transaction, results in
            for result in results where ((try? result.get())?.faults.isEmpty ?? false) { try transaction.removeQuarantine(record.key) }
        }
        switch results.first {
        case .success(let outcome) where outcome.faults.isEmpty: return nil
        case .success(let outcome): return try await keep(record, outcome.faults.values.first?.message ?? record.reason)
        case .failure(let error): return try await keep(record, error.message)
        case nil: return record.reason
        }
    }

    /// Keeps what still cannot be written, with what is wrong now.
    private func keep(_ record: QuarantineRecord, _ reason: String) async throws -> String {
        var changed = record
        changed.reason = reason
        let kept = changed
        if kept != record { try await database.inTransaction { try $0.quarantine(kept) } }
        return reason
    }

    private func eachBatch(_ visit: ([QuarantineRecord]) async throws -> Void) async throws {
        var last: Int64 = 0
        while true {
            let after = last
            let records = try await database.inSnapshot { try $0.quarantined(after: after, limit: Self.batch, withBytes: true) }
            guard let end = records.last else { return }
            last = end.key
            try await visit(records)
        }
    }
}
