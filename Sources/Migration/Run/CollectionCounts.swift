import Gateway

/// Counts documents by the collection that they go to.
struct CollectionCounts {
    private var report: [String: ReportCollection]

    init(_ collections: [ReportCollection] = []) {
        report = Dictionary(collections.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    /// In their order.
    var collections: [ReportCollection] { report.values.sorted { $0.name < $1.name } }

    /// - Parameter legacyID: the document's ID in the source.
    mutating func add(_ outcome: ImportOutcome, legacyID: String, bytes: Int) {
        count(in: outcome.collection.description) { collection in
            collection.documents += 1
            if outcome.isDeleted { collection.tombstones += 1 }
            if outcome.isConflicted { collection.conflicts += 1 }
            collection.attachments += outcome.attachments
            collection.bytes += bytes
            switch outcome.kind {
            case .written: collection.written.add(legacyID)
            case .known: collection.alreadyThere.add(legacyID)
            case .clash: collection.clashes.add(legacyID)
            case .leftOut: break
            }
            if !outcome.isMatched { collection.unmatched.add(legacyID) }
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
