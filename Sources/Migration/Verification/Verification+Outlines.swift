import Documents

/// A first side that is only read where that is needed.
extension Verification {
    /// Documents that are read together, at most.
    private static let group = 100

    func outlines(of source: any RevisionListingSource, after cursor: SourceCursor?) async throws -> Summaries? {
        let outlines = try await source.outlines(after: cursor, limit: limits.documents)
        guard let last = outlines.last else { return nil }
        return (outlines.map { (DocumentSummary($0), $0.id) }, outlines.count, SourceCursor(rawValue: last.sequence))
    }

    /// Reads the next documents of the sample.
    ///
    /// - Returns: how many, and where the sample ended; `nil` where everything was read.
    func readSample(into table: SummaryTable) async throws -> (count: Int, end: SourceCursor?)? {
        guard let outlined, let limit = bodies.limit else { return nil }
        var end = bodies.start
        var count = 0
        while count < limit {
            try await control.proceed()
            let outlines: [RevisionListing]
            do {
                outlines = try await outlined.outlines(after: end, limit: min(limit - count, Self.group))
            } catch let error as SourceError where error.code == .changed && end != nil {
                // The server does not know the place any more.
                end = nil
                continue
            }
            guard let last = outlines.last else { break }
            end = SourceCursor(rawValue: last.sequence)
            count += outlines.count
            let documents = try await read(outlines, of: outlined)
            try table.put(documents.map { ($0, $0.id) }, isRecent: false)
        }
        return (count, end)
    }

    /// Documents whose revisions seem to differ, as they are now. What cannot be read is left out.
    func whole(_ outlines: [DocumentSummary]) async throws -> [ExactString: DocumentSummary] {
        guard let outlined else { return [:] }
        var found: [ExactString: DocumentSummary] = [:]
        for start in stride(from: 0, to: outlines.count, by: Self.group) {
            let wanted = outlines[start..<min(start + Self.group, outlines.count)].map {
                RevisionListing(id: $0.id, leaves: $0.leaves.map(\.revision), isDeleted: $0.isDeleted, sequence: "")
            }
            for document in try await read(wanted, of: outlined) { found[ExactString(document.id)] = document }
        }
        return found
    }

    private func read(_ outlines: [RevisionListing], of source: any RevisionListingSource) async throws -> [DocumentSummary] {
        try await source.documents(outlines).compactMap { item in
            if case .document(let document) = item { DocumentSummary(document, includesBodies: true) } else { nil }
        }
    }
}

/// Of which documents a comparison reads bodies and attachments, where the first side can tell revisions without them.
///
/// Equal revision IDs mean equal bodies, as long as no server has mixed up what it keeps. A sample shows whether one has. Comparisons that follow
/// each other go on behind the sample of the one before: what has changed since stands behind in the feed, so nothing is read twice.
package struct BodySample: Sendable, Hashable {
    /// The most documents of one comparison; `nil` for all.
    package var limit: Int?

    /// Where the last sample ended.
    package var start: SourceCursor?

    /// Every document.
    package static let all = BodySample(limit: nil)

    package init(limit: Int?, after start: SourceCursor? = nil) {
        self.limit = limit
        self.start = start
    }
}
