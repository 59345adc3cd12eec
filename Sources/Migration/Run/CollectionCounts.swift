import Gateway

/// Counts documents by the collection that they go to.
struct CollectionCounts {
    private var report: [String: ReportCollection]

    init(_ collections: [ReportCollection] = []) {
        report = Dictionary(collections.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    /// In their order.
    var collections: [ReportCollection] { report.values.sorted { $0.name < $1.name } }

    /// - Parameter document: as the source has it. Of one that comes in parts, the first is counted as the document.
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

    /// Counts attachments that a document is without.
    mutating func addMissing(_ attachments: [MissingAttachment], in collection: String) {
        guard !attachments.isEmpty else { return }
        count(in: collection) { $0.missingAttachments += attachments.count }
    }

    /// Counts what could not be written.
    mutating func add(_ fault: QuarantinedDocument) {
        count(in: fault.collection.description) { $0.quarantined.add(fault.revision.map { "\(fault.id) \($0)" } ?? fault.id) }
    }

    private mutating func count(in name: String, _ change: (inout ReportCollection) -> Void) {
        change(&report[name, default: ReportCollection(name: name)])
    }
}
