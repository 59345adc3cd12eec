import Documents
package import Gateway
import Storage

/// Compares two sides: every document of the first is looked for on the second, under its own name or its legacy ID, and the other way.
///
/// The first side is put in order on disk, so that neither has to fit into memory. What changes at the first side meanwhile is read again
/// from where it was, so that a change is told from a loss.
package struct Verification: Sendable {
    /// How often what differs is looked at again, while the first side goes on changing.
    private static let rechecks = 3

    let first: any MigrationSource
    private let second: any MigrationSource
    let limits: SourceBatchLimits
    private let imports: ImportOptions

    /// Whose routes say what is left out, and whose quarantine says why something is missing.
    private let routing: Database?
    let control: MigrationControl
    private let countsOnlyLosses: Bool
    private let countsExtras: Bool
    private let refusesBranches: Bool
    let bodies: BodySample

    /// - Parameters:
    ///   - first: where documents came from.
    ///   - second: where they are now.
    ///   - imports: what of the first side was wanted.
    ///   - routing: the database whose routes say what `imports` leaves out, and whose quarantine says why something is missing.
    ///   - countsOnlyLosses: whether only what the second side lacks counts, and not what it has beyond the first: documents, branches, and
    ///     revisions on top of the first side's.
    ///   - countsExtras: whether documents that the second side alone has are differences.
    ///   - keepsOneLine: whether the first side takes no branches. What the second has beyond its line is no difference then.
    ///   - bodies: of which documents bodies and attachments are compared, where the first side can tell revisions without them.
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

    /// Whether bodies are compared, too: a live server may have mixed up what it keeps.
    private var comparesBodies: Bool { first is any RevisionListingSource }

    /// The first side, if it is only read where that is needed.
    var outlined: (any RevisionListingSource)? {
        bodies.limit == nil || imports != ImportOptions() ? nil : first as? any RevisionListingSource
    }

    /// - Parameters:
    ///   - end: where the run that brought the documents over ended at the first side: what changed behind it is no loss.
    ///   - progress: is told after each batch.
    /// - Throws: ``SourceError``.
    package func run(
        after end: SourceCursor? = nil, progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws -> ReportVerification {
        try await compare(after: end, progress: progress).report
    }

    /// The same, with the place where the sample of bodies has ended.
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
            // Where the end is not known any more, everything counts as it was before.
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

    /// What begins the kind of a server that shows other attachments than it was given.
    private static let syncGateway = "Sync Gateway"

    /// - Returns: where it ended.
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

    /// What has changed behind a cursor; `nil` if the side cannot tell.
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

    /// Documents of the second side that come in parts, put together until all have come.
    private struct PartialDocuments {
        private var found: [Int64: Pair] = [:]

        var pairs: [Pair] { found.values.sorted { $0.row.key < $1.row.key } }

        mutating func add(_ row: SummaryTable.Row, _ theirs: DocumentSummary) {
            if found[row.key] == nil { found[row.key] = (row, theirs) } else { found[row.key]?.theirs.take(theirs) }
        }
    }

    private struct Comparison {
        let isSyncGateway: Bool
        var report = ReportVerification()

        /// Whether there are differences that a change at the first side does not explain.
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
        func tell() { progress(MigrationProgress(done: done, total: expected, activity: "comparing", phase: .comparing)) }
        tell()
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
                // Most outlines are equal, and no body is looked at then.
                if document.part == nil, row.summary.isOutline, row.summary.isOutline(of: DocumentSummary(document)) {
                    comparison.report.equal += 1
                    continue
                }
                let theirs = DocumentSummary(document, includesBodies: comparesBodies, includesAncestors: countsOnlyLosses)
                if theirs.isPart { parts.add(row, theirs) } else { found.append((row, theirs)) }
            }
            try await judge(found, &comparison)
            try table.markMatched(seen)
            done += documents.count
            tell()
        }
        try await judge(parts.pairs, &comparison)
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

    /// Compares documents. Those of which only an outline is known, and that seem to differ, are read whole before.
    private func judge(_ pairs: [Pair], _ comparison: inout Comparison) async throws {
        var doubtful: [Pair] = []
        for (row, theirs) in pairs {
            if row.summary.isOutline, !row.summary.isOutline(of: theirs) {
                doubtful.append((row, theirs))
            } else {
                judge(row.summary, theirs, isRecent: row.isRecent, &comparison)
            }
        }
        let whole = try await whole(doubtful.map(\.row.summary))
        for (row, theirs) in doubtful {
            judge(whole[ExactString(row.summary.id)] ?? row.summary, theirs, isRecent: row.isRecent, &comparison)
        }
    }

    private func judge(_ mine: DocumentSummary, _ theirs: DocumentSummary, isRecent: Bool, _ comparison: inout Comparison) {
        guard !mine.isOutline || !mine.isOutline(of: theirs) else { return comparison.report.equal += 1 }
        var differences = mine.differences(from: theirs)
        if countsOnlyLosses { differences.removeAll { $0.kind.isOfRevisions && mine.isCovered(by: theirs) } }
        if refusesBranches { differences.removeAll { $0.kind.isOfRevisions && mine.isLine(of: theirs) } }
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

    /// Why a document of the first side may be missing.
    private func reason(_ summary: DocumentSummary) async throws -> String {
        let (collection, id) = (summary.collection.description, summary.id)
        if let kept = try await routing?.inSnapshot({ try $0.quarantineReason(collection: collection, id: id) }) {
            return "in quarantine: \(kept)"
        }
        return "only in A: \(first.label)\(summary.isDeleted ? ", as a tombstone" : "")"
    }
}
