import Gateway

/// Dry run: computes the result of a run without writing.
extension SourceMigration {
    /// - Parameter progress: Called after each batch.
    package func preview(progress: @escaping @Sendable (MigrationProgress) -> Void) async -> MigrationResult {
        var report = MigrationReport(run: head)
        let start = clock.now
        do {
            try await describe(in: &report, progress)
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
        var foreseen = PreviewState(places: try SortedTable())
        var (documents, bytes) = (0, 0)
        var cursor: SourceCursor?
        while let batch = try await source.batch(after: cursor, limits: options.batch) {
            try await control.proceed()
            cursor = batch.cursor
            var prepared = PreparedBatch(unloaded: batch)
            try await AttachmentProbe(source: source, database: database, missingAttachments: options.missingAttachments).check(&prepared)
            let results = try await database.previewImport(prepared.documents, options: options.imports)
            for (index, result) in results.enumerated() {
                let document = prepared.originals[index]
                let size = DocumentSize(document).total
                if !document.isContinued { documents += 1 }
                bytes += size
                switch result {
                case .failure(let error): prepared.faults.append(QuarantinedDocument(document, reason: error.message))
                case .success(let outcome):
                    if let error = try foreseen.add(outcome, document, bytes: size, missing: prepared.missing[index]) {
                        prepared.faults.append(QuarantinedDocument(document, reason: error))
                    } else if outcome.kind != .leftOut {
                        for attachment in prepared.missing[index] { report.missingAttachments.add(attachment) }
                    }
                }
            }
            try foreseen.endBatch()
            for fault in prepared.faults {
                foreseen.table.add(fault)
                report.failures.add(fault.failure)
            }
            for revision in prepared.unseen { report.unseen.add(revision) }
            report.timeline.add(time: (clock.now - start) / .seconds(1), documents: documents, bytes: bytes, activity: "reading")
            progress(MigrationProgress(done: documents, total: report.run.expectedDocuments, activity: "reading"))
        }
        for collection in foreseen.table.collections { report.count(in: collection.name) { $0 = collection } }
    }
}

/// Simulated state of the target, which later documents of a dry run depend on.
private struct PreviewState {
    /// Maps each target collection and ID to the source document that would occupy it.
    let places: SortedTable
    var table = CollectionCounts()
    private var parts = PartDestinations<ImportOutcome>()

    /// Entries of the current batch.
    private var taken: [String: String] = [:]

    init(places: SortedTable) {
        self.places = places
    }

    /// - Returns: Why the document would not be written; `nil` if it would be.
    mutating func add(_ outcome: ImportOutcome, _ document: SourceDocument, bytes: Int, missing: [MissingAttachment]) throws -> String? {
        var outcome = outcome
        guard !document.isContinued else {
            let first = parts.resolve(document, outcome)
            (outcome.collection, outcome.id) = (first.collection, first.id)
            if outcome.kind != .leftOut { table.addMissing(missing, in: outcome.collection.description) }
            table.add(outcome, of: document, bytes: bytes)
            return nil
        }
        let owner = "\(document.collection)\u{0}\(document.id)"
        var place = "\(outcome.collection)\u{0}\(outcome.id)"
        if outcome.kind == .written, let other = try taken[place] ?? places.owner(of: place), other != owner {
            // Another document of the source would already have this ID.
            guard document.collection == .default else {
                return "Another document of the source would be \(document.id) in \(document.collection); "
                    + "change the route that brings it there"
            }
            (outcome.kind, outcome.collection, outcome.id) = (.clash, .default, document.id)
            place = owner
        }
        parts.resolve(document, outcome)
        if outcome.kind != .leftOut {
            taken[place] = owner
            table.addMissing(missing, in: outcome.collection.description)
        }
        table.add(outcome, of: document, bytes: bytes)
        return nil
    }

    mutating func endBatch() throws {
        try places.insert(taken)
        taken = [:]
    }
}
