import Gateway

/// A dry run: reads everything, writes nothing, and tells what a run would do.
extension SourceMigration {
    /// - Parameter progress: is told after each batch.
    public func preview(progress: @escaping @Sendable (MigrationProgress) -> Void) async -> MigrationResult {
        var report = MigrationReport(run: head)
        let start = clock.now
        do {
            let summary = try await source.summary()
            report.run.sourceKind = summary.kind
            report.run.expectedDocuments = summary.documents
            try await preview(into: &report, start, progress)
            report.run.state = .finished
        } catch {
            report.run.state = error is CancellationError ? .interrupted : .failed
            report.run.message = "\(error)"
            report.run.seconds = (clock.now - start) / .seconds(1)
            return MigrationResult(report: report, failure: error)
        }
        report.run.seconds = (clock.now - start) / .seconds(1)
        report.run.finished = .now
        return MigrationResult(report: report)
    }

    private func preview(
        into report: inout MigrationReport, _ start: ContinuousClock.Instant, _ progress: (MigrationProgress) -> Void
    ) async throws {
        let places = try SortedTable()
        var table = CollectionCounts()
        var (documents, bytes) = (0, 0)
        var cursor: SourceCursor?
        while let batch = try await source.batch(after: cursor, limits: options.batch) {
            try await control.proceed()
            cursor = batch.cursor
            var prepared = PreparedBatch(unloaded: batch)
            try await AttachmentProbe(source: source, database: database).check(&prepared)
            let results = try await database.previewImport(prepared.documents, options: options.imports)
            var faults = prepared.faults
            var taken: [String] = []
            for (document, result) in zip(prepared.originals, results) {
                let size = DocumentSize(document).total
                documents += 1
                bytes += size
                switch result {
                case .failure(let error): faults.append(QuarantinedDocument(document, reason: error.message))
                case .success(var outcome):
                    let place = "\(outcome.collection)\u{0}\(outcome.id)"
                    // Two documents of the source that would be one document of a collection.
                    if outcome.kind == .written, try places.contains(place) || taken.contains(place) { outcome.kind = .clash }
                    if outcome.kind != .leftOut { taken.append(place) }
                    table.add(outcome, legacyID: document.id, bytes: size)
                }
            }
            try places.insert(taken)
            for fault in faults {
                table.addFault(fault.collection.description, fault.id)
                report.failures.add(fault.failure)
            }
            report.timeline.add(time: (clock.now - start) / .seconds(1), documents: documents, bytes: bytes, activity: "reading")
            progress(MigrationProgress(done: documents, total: report.run.expectedDocuments, activity: "reading"))
        }
        for collection in table.collections { report.count(in: collection.name) { $0 = collection } }
    }
}

extension PreparedBatch {
    /// The batch without its attachments: nothing is to be written.
    init(unloaded batch: SourceBatch) {
        for item in batch.items {
            switch item {
            case .fault(let fault): faults.append(QuarantinedDocument(fault))
            case .document(let document):
                originals.append(document)
                documents.append(ImportedDocument(unloaded: document))
            }
        }
    }
}

extension ImportedDocument {
    /// A document with its attachments as the source names them.
    init(unloaded document: SourceDocument) {
        self.init(
            id: document.id, collection: document.collection,
            revisions: document.revisions.map {
                RevisionWrite(
                    id: document.id, kind: .replicated(history: $0.history, conflicts: .accept), isDeleted: $0.isDeleted, body: $0.body,
                    attachments: $0.attachments)
            })
    }
}
