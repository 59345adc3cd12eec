import Gateway

/// A table of the documents that a run within a store moved, or would move.
struct MigrateReport {
    struct Row {
        let collection: String
        let documents: Int
        let tombstones: Int
        let conflicts: Int
        let attachments: Int
        let bytes: Int
        let examples: [String]

        init(_ collection: String, _ tally: MoveTally) {
            self.collection = collection
            documents = tally.documents
            tombstones = tally.tombstones
            conflicts = tally.conflicts
            attachments = tally.attachments
            bytes = tally.bytes
            examples = tally.examples
        }
    }

    let dryRun: Bool
    let collections: [Row]
    let unmatched: Row
    let clashes: Row

    /// Documents that are included in `collections`.
    let refused: Row

    init(_ summary: MoveSummary, isDryRun: Bool) {
        dryRun = isDryRun
        collections = summary.moved.sorted { $0.key < $1.key }.map { Row($0.key.description, $0.value) }
        unmatched = Row("stay in _default", summary.unmatched)
        clashes = Row("clash, stay", summary.clashes)
        refused = Row("refused by sync function, moved in their old channels", summary.refused)
    }

    var rendered: String {
        var table = TextTable([
            dryRun ? "would go to" : "moved to", "documents", "tombstones", "conflicts", "attachments", "bytes", "for example",
        ])
        for row in collections + [unmatched] + [clashes, refused].filter({ $0.documents > 0 }) {
            table.add(
                [
                    row.collection, "\(row.documents)", "\(row.tombstones)", "\(row.conflicts)", "\(row.attachments)", "\(row.bytes)",
                    row.examples.prefix(2).map { $0.count > 24 ? "\($0.prefix(24))…" : $0 }.joined(separator: ", "),
                ])
        }
        return table.rendered
    }
}
