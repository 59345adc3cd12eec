import Documents
package import Gateway
import Storage

/// Compares two sides: looks up every document of each side on the other, by ID or legacy ID.
///
/// The first side is sorted on disk, so that neither side has to fit into memory. Later changes of the first side are read again from the last
/// cursor, so that changes are not mistaken for losses.
package struct Verification: Sendable {
    /// Largest number of repeated comparisons while the first side changes.
    private static let rechecks = 3

    let first: any MigrationSource
    private let second: any MigrationSource
    let limits: SourceBatchLimits
    private let imports: ImportOptions

    /// Database with the routes that exclude documents, and with the quarantine that explains missing ones.
    private let routing: Database?
    let control: MigrationControl
    private let countsOnlyLosses: Bool
    private let countsExtras: Bool
    private let refusesBranches: Bool
    let bodies: BodySample

    /// - Parameters:
    ///   - first: The origin of the documents.
    ///   - second: The target.
    ///   - imports: Which documents of the first side were imported.
    ///   - routing: Database with the routes that `imports` depends on, and with the quarantine that explains missing documents.
    ///   - countsOnlyLosses: Whether only content that the second side lacks counts as a difference. Additional documents, branches and
    ///     descendant revisions of the second side are then ignored.
    ///   - countsExtras: Whether documents that only the second side has are differences.
    ///   - refusesBranches: Whether the first side stores a single branch. Further branches of the second side are then not differences.
    ///   - bodies: Which documents' bodies and attachments are compared, if the first side can list revisions without them.
    package init(
        _ first: any MigrationSource, _ second: any MigrationSource, limits: SourceBatchLimits = SourceBatchLimits(),
        imports: ImportOptions = ImportOptions(), routing: Database? = nil, control: MigrationControl = MigrationControl(),
        countsOnlyLosses: Bool = false, countsExtras: Bool = true, refusesBranches: Bool = false, bodies: BodySample = .all
    ) {
        self.first = first
        self.second = second
        self.limits = limits
        self.imports = imports
        self.routing = routing
        self.control = control
        self.countsOnlyLosses = countsOnlyLosses
        self.countsExtras = countsExtras
        self.refusesBranches = refusesBranches
        self.bodies = bodies
    }

    /// Whether bodies are compared as well, because a live server may have corrupted its data.
    private var comparesBodies: Bool { first is any RevisionListingSource }

    /// The first side, if it is compared by outlines.
    var outlined: (any RevisionListingSource)? {
        bodies.limit == nil || imports != ImportOptions() ? nil : first as? any RevisionListingSource
    }

    /// - Parameters:
    ///   - end: End of the copying run in the first side; later changes are not losses.
    ///   - progress: Called after each batch.
    /// - Throws: ``SourceError``.
    package func run(
        after end: SourceCursor? = nil, progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws -> ReportVerification {
        try await compare(after: end, progress: progress).report
    }

    /// Compares both sides and also returns the end of the body sample.
    package func compare(
        after end: SourceCursor? = nil, progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws -> (report: ReportVerification, sampled: SourceCursor?) {
        let (clock, table) = (ContinuousClock(), try SummaryTable())
        let start = clock.now
        try await first.prepare(control, progress)
        try await second.prepare(control, progress)
        let summary = try await first.summary()
        let expected = summary.documents
        var cursor = try await read(into: table, from: nil, isRecent: false, expected, progress)
        if let end {
            // If the first side no longer accepts the cursor, changes cannot be distinguished from losses.
            cursor = try await changes(after: end, into: table) ?? cursor
        }
        let sample = try await readSample(into: table)
        let size = try await second.summary().documents ?? expected
        var comparison = Comparison(isSyncGateway: summary.kind.hasPrefix(Self.syncGateway))
        try await compare(table, size, &comparison, progress)
        for _ in 0..<Self.rechecks where comparison.isDoubtful {
            guard let cursor, let newer = try await changes(after: cursor, into: table), newer != cursor else { break }
            comparison = Comparison(isSyncGateway: comparison.isSyncGateway)
            try await compare(table, size, &comparison, progress)
        }
        comparison.report.bodies = sample?.count
        comparison.report.seconds = (clock.now - start) / .seconds(1)
        return (comparison.report, sample?.end)
    }

    /// Prefix of ``SourceSummary/kind`` for servers that list other attachments than they received.
    private static let syncGateway = "Sync Gateway"

    /// - Returns: The last cursor.
    private func read(
        into table: SummaryTable, from start: SourceCursor?, isRecent: Bool, _ expected: Int?,
        _ progress: @Sendable (MigrationProgress) -> Void
    ) async throws -> SourceCursor? {
        var cursor = start
        var count = 0
        if !isRecent { progress(MigrationProgress(done: 0, total: expected, activity: "listing", phase: .listing)) }
        while let batch = try await summaries(after: cursor) {
            try await control.proceed()
            cursor = batch.cursor
            try table.put(batch.summaries, isRecent: isRecent)
            count += batch.count
            if !isRecent { progress(MigrationProgress(done: count, total: expected, activity: "listing", phase: .listing)) }
        }
        return cursor
    }

    typealias Summaries = (summaries: [(summary: DocumentSummary, legacyID: String?)], count: Int, cursor: SourceCursor)

    private func summaries(after cursor: SourceCursor?) async throws -> Summaries? {
        if let outlined { return try await outlines(of: outlined, after: cursor) }
        guard let batch = try await first.batch(after: cursor, limits: limits) else { return nil }
        let documents = batch.documents
        let names = try await first.flatIDs(of: documents)
        let wanted = try await wanted(documents)
        let kept = documents.indices.filter { wanted[$0] }.map {
            (DocumentSummary(documents[$0], includesBodies: comparesBodies), names[$0])
        }
        return (kept, documents.count, batch.cursor)
    }

    /// Reads the changes after a cursor; `nil` if the first side does not accept the cursor.
    private func changes(after cursor: SourceCursor, into table: SummaryTable) async throws -> SourceCursor? {
        do {
            return try await read(into: table, from: cursor, isRecent: true, nil) { _ in }
        } catch let error as SourceError where error.code == .changed {
            return nil
        }
    }

    private func wanted(_ documents: [SourceDocument]) async throws -> [Bool] {
        guard imports != ImportOptions(), let routing else { return documents.map { _ in true } }
        let results = try await routing.previewImport(documents.map { ImportedDocument(unloaded: $0) }, options: imports)
        return results.map { (try? $0.get())?.kind != .leftOut }
    }

    /// Partial documents of the second side, merged until all parts are read.
    private struct PartialDocuments {
        private var found: [Int64: Pair] = [:]

        var pairs: [Pair] { found.values.sorted { $0.row.key < $1.row.key } }

        mutating func add(_ row: SummaryTable.Row, _ theirs: DocumentSummary) {
            if found[row.key] == nil { found[row.key] = (row, theirs) } else { found[row.key]?.theirs.merge(theirs) }
        }
    }

    private struct Comparison {
        let isSyncGateway: Bool
        var report = ReportVerification()

        /// Whether differences remain that known changes of the first side do not explain.
        var isDoubtful = false

        mutating func add(_ difference: ReportDifference, isRecent: Bool) {
            guard !isRecent else { return report.changedAtSource.add(difference.id) }
            report.add(difference)
            isDoubtful = true
        }
    }

    private func compare(
        _ table: SummaryTable, _ expected: Int?, _ comparison: inout Comparison, _ progress: @Sendable (MigrationProgress) -> Void
    ) async throws {
        var cursor: SourceCursor?
        var done = 0
        var parts = PartialDocuments()
        func reportProgress() { progress(MigrationProgress(done: done, total: expected, activity: "comparing", phase: .comparing)) }
        reportProgress()
        try table.clearMatched()
        while let batch = try await second.batch(after: cursor, limits: limits) {
            try await control.proceed()
            cursor = batch.cursor
            let documents = batch.documents
            let names = try await second.flatIDs(of: documents)
            var seen: [Int64] = []
            var found: [Pair] = []
            for (document, name) in zip(documents, names) {
                if !document.isContinued { comparison.report.compared += 1 }
                guard let row = try table.row(in: document.collection, id: document.id, legacyID: name) else {
                    if !document.isContinued { addExtra(document, to: &comparison) }
                    continue
                }
                seen.append(row.key)
                // Most outlines are equal; their bodies need not be digested.
                if document.part == nil, row.summary.isOutline, row.summary.isOutline(of: DocumentSummary(document)) {
                    comparison.report.equal += 1
                    continue
                }
                let theirs = DocumentSummary(document, includesBodies: comparesBodies, includesAncestors: countsOnlyLosses)
                if theirs.isPart { parts.add(row, theirs) } else { found.append((row, theirs)) }
            }
            try await evaluate(found, &comparison)
            try table.markMatched(seen)
            done += documents.count
            reportProgress()
        }
        try await evaluate(parts.pairs, &comparison)
        try await addUnseen(table, to: &comparison)
    }

    /// A document on both sides.
    typealias Pair = (row: SummaryTable.Row, theirs: DocumentSummary)

    private func addExtra(_ document: SourceDocument, to comparison: inout Comparison) {
        guard !countsOnlyLosses else { return }
        guard countsExtras else { return comparison.report.onlyAtTarget.add(document.id) }
        comparison.add(
            ReportDifference(
                .extra, collection: document.collection.description, id: document.id, detail: "only in B: \(second.label)"), isRecent: false
        )
    }

    /// Compares documents. A document whose outline differs is read completely first.
    private func evaluate(_ pairs: [Pair], _ comparison: inout Comparison) async throws {
        var doubtful: [Pair] = []
        for (row, theirs) in pairs {
            if row.summary.isOutline, !row.summary.isOutline(of: theirs) {
                doubtful.append((row, theirs))
            } else {
                evaluate(row.summary, theirs, isRecent: row.isRecent, &comparison)
            }
        }
        let whole = try await whole(doubtful.map(\.row.summary))
        for (row, theirs) in doubtful {
            evaluate(whole[ExactString(row.summary.id)] ?? row.summary, theirs, isRecent: row.isRecent, &comparison)
        }
    }

    private func evaluate(_ mine: DocumentSummary, _ theirs: DocumentSummary, isRecent: Bool, _ comparison: inout Comparison) {
        guard !mine.isOutline || !mine.isOutline(of: theirs) else { return comparison.report.equal += 1 }
        var differences = mine.differences(from: theirs)
        if countsOnlyLosses { differences.removeAll { $0.kind.isOfRevisions && mine.isCovered(by: theirs) } }
        if refusesBranches { differences.removeAll { $0.kind.isOfRevisions && mine.isSingleBranch(of: theirs) } }
        guard let difference = differences.first else { return comparison.report.equal += 1 }
        guard !comparison.isSyncGateway || difference.kind != .attachments || mine.leaves.count < 2 else {
            return comparison.report.shownOtherwise.add(difference.id)
        }
        for difference in differences { comparison.add(difference, isRecent: isRecent) }
    }

    private func addUnseen(_ table: SummaryTable, to comparison: inout Comparison) async throws {
        var last: (String, String)?
        while true {
            let rows = try table.unseen(after: last, limit: 500)
            guard let end = rows.last?.summary else { return }
            last = (end.collection.description, end.id)
            for row in rows {
                comparison.report.compared += 1
                let difference = ReportDifference(
                    .missing, collection: row.summary.collection.description, id: row.summary.id,
                    detail: try await reason(row.summary))
                comparison.add(difference, isRecent: row.isRecent)
            }
        }
    }

    /// A probable reason why a document of the first side is missing.
    private func reason(_ summary: DocumentSummary) async throws -> String {
        let (collection, id) = (summary.collection.description, summary.id)
        if let kept = try await routing?.inSnapshot({ try $0.quarantineReason(collection: collection, id: id) }) {
            return "in quarantine: \(kept)"
        }
        return "only in A: \(first.label)\(summary.isDeleted ? ", as a tombstone" : "")"
    }
}
