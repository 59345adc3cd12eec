import Documents
package import Gateway
import Storage

/// The documents of a store that runs could not write.
///
/// A document leaves the quarantine when a run writes it completely, or when a retry succeeds.
package struct Quarantine: Sendable {
    /// Result of a retry.
    package struct Retried: Sendable, Equatable {
        package var written = 0

        /// Number of attachments whose bytes were found, of documents that were written without them.
        package var completed = 0

        /// Documents that still cannot be written, with the current reason and without their bytes.
        package var remaining: [QuarantinedDocument] = []

        package init() {}
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func count() async throws -> Int {
        try await database.inSnapshot { try $0.quarantineCount() }
    }

    /// Visits all quarantined documents in insertion order.
    ///
    /// - Parameter withBytes: Whether to read the documents' bytes.
    package func each(withBytes: Bool = true, _ visit: (QuarantinedDocument, QuarantineOrigin) throws -> Void) async throws {
        try await eachRecord(withBytes: withBytes) { try visit(QuarantinedDocument($0), QuarantineOrigin($0)) }
    }

    /// Retries all quarantined documents, and looks for attachments that documents were written without.
    ///
    /// The stored bytes are tried first. Documents that they do not suffice for are looked up in the source by ID.
    ///
    /// - Parameters:
    ///   - source: Source of the documents or attachments, read to its end; `nil` to use the stored bytes only.
    ///   - missingAttachments: How to handle documents whose attachments are still missing.
    ///   - progress: Called while the source is read.
    /// - Throws: ``SourceError`` if the source cannot be read, and the store's errors.
    package func retry(
        from source: (any MigrationSource)?, missingAttachments: MigrationOptions.MissingAttachmentPolicy = .quarantine,
        progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws -> Retried {
        let before = (kept: try await count(), missing: try await MissingAttachments(database).count())
        try await eachRecord(withBytes: true) { try await retry($0, from: source ?? EmptySource(), .quarantine) }
        if let source { try await search(source, progress) }
        if missingAttachments == .keep {
            try await eachRecord(withBytes: true) { try await retry($0, from: source ?? EmptySource(), .keep) }
        }
        var retried = Retried()
        retried.written = max(0, before.kept - (try await count()))
        retried.completed = max(0, before.missing - (try await MissingAttachments(database).count()))
        try await each(withBytes: false) { document, _ in retried.remaining.append(document) }
        return retried
    }

    private func retry(
        _ record: QuarantineRecord, from source: any MigrationSource, _ missingAttachments: MigrationOptions.MissingAttachmentPolicy
    ) async throws {
        guard let document = QuarantineDecoder.read(record) else { return }
        let batch = SourceBatch(items: [.document(document)], cursor: SourceCursor(rawValue: ""))
        let preparation = BatchPreparation(source: source, database: database, missingAttachments: missingAttachments)
        let prepared = try await preparation.prepare(batch)
        if let fault = prepared.faults.first { return try await updateReason(of: record, fault.reason) }
        let results = try await database.importDocuments(prepared.plans, attachments: prepared.attachments) { transaction, results in
            for result in results where ((try? result.get())?.faults.isEmpty ?? false) { try transaction.removeQuarantine(record.key) }
        }
        switch results.first {
        case .success(let outcome):
            if let fault = outcome.faults.values.first { try await updateReason(of: record, fault.message) }
        case .failure(let error): try await updateReason(of: record, error.message)
        case nil: break
        }
    }

    /// Updates the reason of a document that still cannot be written.
    private func updateReason(of record: QuarantineRecord, _ reason: String) async throws {
        guard reason != record.reason else { return }
        var changed = record
        changed.reason = reason
        let kept = changed
        try await database.inTransaction { try $0.quarantine(kept) }
    }

    /// Searches a source for documents that are quarantined or stored without all of their attachments.
    private func search(_ source: any MigrationSource, _ progress: @escaping @Sendable (MigrationProgress) -> Void) async throws {
        try await source.prepare { progress($0) }
        let total = try await source.summary().documents
        var cursor: SourceCursor?
        var done = 0
        while let batch = try await source.batch(after: cursor, limits: SourceBatchLimits()) {
            try Task.checkCancellation()
            cursor = batch.cursor
            done += batch.items.count
            let documents = batch.documents
            let isWanted = try await database.inSnapshot { snapshot in
                let isLacking = try MissingAttachments.lacking(documents, in: snapshot)
                return try zip(documents, isLacking).map { document, isLacking in
                    try isLacking
                        || snapshot.quarantineReason(collection: document.collection.description, id: document.id) != nil
                }
            }
            let wanted = zip(documents, isWanted).filter(\.1).map { SourceItem.document($0.0) }
            if !wanted.isEmpty { try await write(SourceBatch(items: wanted, cursor: batch.cursor), from: source) }
            progress(MigrationProgress(done: done, total: total, activity: "reading"))
        }
    }

    private func write(_ batch: SourceBatch, from source: any MigrationSource) async throws {
        let preparation = BatchPreparation(source: source, database: database, missingAttachments: .quarantine)
        let prepared = try await preparation.prepare(batch)
        let originals = prepared.originals
        _ = try await database.importDocuments(prepared.plans, attachments: prepared.attachments) { transaction, results in
            for (document, result) in zip(originals, results) where ((try? result.get())?.faults.isEmpty ?? false) {
                try transaction.releaseQuarantine(of: document)
            }
        }
    }

    /// Reads records with bytes one at a time, because each may exceed the size of a document.
    private func eachRecord(withBytes: Bool, _ visit: (QuarantineRecord) async throws -> Void) async throws {
        var last: Int64 = 0
        while true {
            let after = last
            let records = try await database.inSnapshot {
                try $0.quarantined(after: after, limit: withBytes ? 1 : 1_000, withBytes: withBytes)
            }
            guard let end = records.last else { return }
            last = end.key
            for record in records { try await visit(record) }
        }
    }
}

extension StoreTransaction {
    /// Removes a written document from the quarantine, except revisions that `document` lacks.
    func releaseQuarantine(of document: SourceDocument) throws {
        try releaseQuarantine(
            collection: document.collection.description, id: document.id,
            revisions: Set(document.revisions.compactMap { $0.history.first?.text }), place: document.part?.place)
    }
}

/// An empty source, for retries without one.
struct EmptySource: MigrationSource {
    let label = "the quarantine"

    func summary() async throws -> SourceSummary { SourceSummary(kind: "nothing") }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? { nil }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {
        throw SourceError(
            .attachmentMissing,
            "its bytes (\(attachment.digest.map(\.description) ?? "no digest")) are not in the store; name a source that has them with --from"
        )
    }

    func close() async {}
}
