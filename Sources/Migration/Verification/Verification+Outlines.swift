import Documents

/// Comparison by outlines: documents of the first side are read only if their outlines differ or a sample includes them.
extension Verification {
    /// Largest number of documents in one read.
    private static let group = 100

    func outlines(of source: any RevisionListingSource, after cursor: SourceCursor?) async throws -> Summaries? {
        let outlines = try await source.outlines(after: cursor, limit: limits.documents)
        guard let last = outlines.last else { return nil }
        return (outlines.map { (DocumentSummary($0), $0.id) }, outlines.count, SourceCursor(rawValue: last.sequence))
    }

    /// Reads the next documents of the sample.
    ///
    /// - Returns: The number of documents and the end of the sample; `nil` if all documents are read anyway.
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
                // The server no longer accepts the cursor.
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

    /// The current documents whose outlines differ. Unreadable documents are omitted.
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

/// Selects the documents whose bodies and attachments are compared, if the first side can list revisions without them.
///
/// Equal revision IDs imply equal bodies unless a server has corrupted its data. A sample detects such corruption. Each comparison continues
/// after the previous sample. Changed documents move to the end of the feed, so no document is read twice.
package struct BodySample: Sendable, Hashable {
    /// Largest number of documents in one comparison; `nil` for all.
    package var limit: Int?

    /// End of the last sample.
    package var start: SourceCursor?

    /// Every document.
    package static let all = BodySample(limit: nil)

    package init(limit: Int?, after start: SourceCursor? = nil) {
        self.limit = limit
        self.start = start
    }
}
