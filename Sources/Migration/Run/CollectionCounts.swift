import Gateway

/// Counts documents by target collection.
struct CollectionCounts {
    private var report: [String: ReportCollection]

    init(_ collections: [ReportCollection] = []) {
        report = Dictionary(collections.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    /// Sorted by name.
    var collections: [ReportCollection] { report.values.sorted { $0.name < $1.name } }

    /// - Parameter document: The document as read from the source. Only the first part of a partial document counts as a document.
    mutating func add(_ outcome: ImportOutcome, of document: SourceDocument, bytes: Int) {
        count(in: outcome.collection.description) { collection in
            collection.attachments += outcome.attachments
            collection.bytes += bytes
            guard !document.isContinued else { return }
            collection.documents += 1
            if document.part?.whole?.isDeleted ?? outcome.isDeleted { collection.tombstones += 1 }
            if document.part?.whole?.isConflicted ?? outcome.isConflicted { collection.conflicts += 1 }
            switch outcome.kind {
            case .written: collection.written.add(document.id)
            case .known: collection.alreadyThere.add(document.id)
            case .clash: collection.clashes.add(document.id)
            case .leftOut: break
            }
            if !outcome.isMatched { collection.unmatched.add(document.id) }
        }
    }

    /// Counts the missing attachments of a document.
    mutating func addMissing(_ attachments: [MissingAttachment], in collection: String) {
        guard !attachments.isEmpty else { return }
        count(in: collection) { $0.missingAttachments += attachments.count }
    }

    /// Counts a document or revision that could not be written.
    mutating func add(_ fault: QuarantinedDocument) {
        count(in: fault.collection.description) { $0.quarantined.add(fault.revision.map { "\(fault.id) \($0)" } ?? fault.id) }
    }

    private mutating func count(in name: String, _ change: (inout ReportCollection) -> Void) {
        change(&report[name, default: ReportCollection(name: name)])
    }
}
