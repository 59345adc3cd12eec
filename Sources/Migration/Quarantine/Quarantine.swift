import Documents
package import Gateway
import Storage

/// What a store keeps of documents that runs could not write.
///
/// A document leaves it when a run writes it, whole, or when it is tried again with success.
package struct Quarantine: Sendable {
    /// What trying again has come to.
    package struct Retried: Sendable, Equatable {
        package var written = 0

        /// Attachments whose bytes have come, of documents that were written without.
        package var completed = 0

        /// What still cannot be written, and why now; without its bytes.
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

    /// Goes through all that is kept, in the order in which it came.
    ///
    /// - Parameter withBytes: whether the bytes are wanted.
    package func each(withBytes: Bool = true, _ visit: (QuarantinedDocument, QuarantineOrigin) throws -> Void) async throws {
        try await eachRecord(withBytes: withBytes) { try visit(QuarantinedDocument($0), QuarantineOrigin($0)) }
    }

    /// Tries to write everything that is kept again, and to find attachments that documents were written without.
    ///
    /// What is kept is tried first. What cannot be written by that is looked for in the source, by its ID.
    ///
    /// - Parameters:
    ///   - source: which has the documents, or the attachments; `nil` if what is kept has to do. It is read to its end.
    ///   - missingAttachments: what becomes of documents whose attachments are still not to be had.
    ///   - progress: is told while the source is read.
    /// - Throws: ``SourceError`` if the source cannot be read, and what the store throws.
    package func retry(
        from source: (any MigrationSource)?, missingAttachments: MigrationOptions.MissingAttachments = .quarantine,
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
        _ record: QuarantineRecord, from source: any MigrationSource, _ missingAttachments: MigrationOptions.MissingAttachments
    ) async throws {
        guard let document = QuarantineDecoder.read(record) else { return }
        let batch = SourceBatch(items: [.document(document)], cursor: SourceCursor(rawValue: ""))
        let preparation = BatchPreparation(source: source, database: database, missingAttachments: missingAttachments)
        let prepared = try await preparation.prepare(batch)
        if let fault = prepared.faults.first { return try await keep(record, fault.reason) }
        let results = try await database.importDocuments(prepared.plans, attachments: prepared.attachments) { transaction, results in
            for result in results where ((try? result.get())?.faults.isEmpty ?? false) { try transaction.removeQuarantine(record.key) }
        }
        switch results.first {
        case .success(let outcome):
            if let fault = outcome.faults.values.first { try await keep(record, fault.message) }
        case .failure(let error): try await keep(record, error.message)
        case nil: break
        }
    }

    /// Keeps what still cannot be written, with what is wrong now.
    private func keep(_ record: QuarantineRecord, _ reason: String) async throws {
        guard reason != record.reason else { return }
        var changed = record
        changed.reason = reason
        let kept = changed
        try await database.inTransaction { try $0.quarantine(kept) }
    }

    /// Reads a source for documents that are kept here, or are here without all their attachments.
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

    /// One after the other: each may be as large as documents are, and more.
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
    /// Lets go of what was kept of a document that has been written. A revision that it lacks still stays.
    func releaseQuarantine(of document: SourceDocument) throws {
        try releaseQuarantine(
            collection: document.collection.description, id: document.id,
            revisions: Set(document.revisions.compactMap { $0.history.first?.text }), place: document.part?.place)
    }
}

/// Stands in for a source that nobody has named: it has nothing.
struct EmptySource: MigrationSource {
    let label = "the quarantine"

    func summary() async throws -> SourceSummary { SourceSummary(kind: "nothing") }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? { nil }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {
        throw SourceError(
            .attachmentMissing,
            "its bytes (\(attachment.digest.map(\.description) ?? "no digest")) are not here; name the source that has them with --from")
    }

    func close() async {}
}
