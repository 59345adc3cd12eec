import Documents
import Gateway
import Storage

/// Reads one batch of a store within a snapshot.
struct StoreBatchReader {
    let snapshot: any StoreSnapshot
    var position: StorePosition
    let limits: SourceBatchLimits
    let label: String
    let includesHidden: Bool
    private var items: [SourceItem] = []
    private var bytes = 0

    init(snapshot: any StoreSnapshot, position: StorePosition, limits: SourceBatchLimits, label: String, includesHidden: Bool) {
        self.snapshot = snapshot
        self.position = position
        self.limits = limits
        self.label = label
        self.includesHidden = includesHidden
    }

    mutating func read() throws -> SourceBatch? {
        for collection in try snapshot.collections() where includesHidden || !collection.isHidden {
            let name = CollectionName(scope: collection.scope, name: collection.name)
            while !isFull {
                var rows: [FeedRow] = []
                try snapshot.feed(
                    .collection(collection.key),
                    FeedStretch(after: position[collection.key], limit: min(100, limits.documents - items.count))
                ) {
                    rows.append($0)
                    return true
                }
                if rows.isEmpty { break }
                for row in rows where !isFull {
                    try add(row, of: name)
                    position[collection.key] = row.sequence
                }
            }
            if isFull { break }
        }
        return items.isEmpty ? nil : SourceBatch(items: items, cursor: position.cursor)
    }

    private var isFull: Bool { items.count >= limits.documents || bytes >= limits.bytes }

    private mutating func add(_ row: FeedRow, of collection: CollectionName) throws {
        guard let record = try snapshot.document(row.key) else { return }
        let leaves = record.tree.leaves
        var revisions: [RevisionID: SourceRevision] = [:]
        for leaf in leaves {
            for (index, id) in record.tree.history(of: leaf.id).enumerated() where revisions[id] == nil {
                guard let body = try snapshot.body(of: id, in: record) else {
                    if index == 0 { items.append(.fault(lost(leaf.id, of: row.id))) }
                    continue
                }
                revisions[id] = SourceRevision(
                    history: record.tree.history(of: id), isLeaf: index == 0, isDeleted: record.tree.node(id)?.isDeleted ?? false,
                    body: body.properties, attachments: try body.attachments.map { try AttachmentSet($0) })
                bytes += body.properties.count
            }
        }
        guard revisions.values.contains(where: \.isLeaf) else { return }
        // By generation: an ancestor comes before its descendants.
        let ordered = revisions.sorted { $0.key < $1.key }.map(\.value)
        let expiry = record.flags.contains(.expires) ? try snapshot.expiry(of: row.key) : nil
        var document = SourceDocument(
            id: row.id, collection: collection, revisions: ordered, sequence: row.sequence.description, expiry: expiry.map { $0 / 1_000 })
        document.origin = DocumentOrigin(
            written: record.modified, version: try snapshot.version(of: row.key), legacy: try snapshot.legacyRevisions(of: row.key),
            wasInDefault: try collection != .default
                && (record.flags.contains(.routed) || snapshot.departures(of: row.key).contains { $0.collection == .default }))
        items.append(.document(document))
    }

    private func lost(_ revision: RevisionID, of id: String) -> SourceFault {
        SourceFault(
            id: id, revision: revision.text, reason: "\(label) has revision \(revision) of \(id) without its body")
    }
}

/// The read position in each collection of a store: `1:1000000000017,2:1000000000004`.
struct StorePosition: Sendable, Equatable {
    private var sequences: [Int64: Int64] = [:]

    /// - Throws: ``SourceError`` with code `changed` if the cursor was not created by a store.
    init(_ cursor: SourceCursor?) throws(SourceError) {
        for part in cursor?.rawValue.split(separator: ",") ?? [] {
            let numbers = part.split(separator: ":").map { Int64($0) }
            guard numbers.count == 2, let key = numbers[0], let sequence = numbers[1] else {
                throw SourceError(
                    .changed, "\"\(cursor?.rawValue ?? "")\" is not a position in a store; start the run again from the beginning")
            }
            sequences[key] = sequence
        }
    }

    subscript(collection: CollectionKey) -> SequenceNumber {
        get { SequenceNumber(sequences[collection.value] ?? 0) }
        set { sequences[collection.value] = newValue.value }
    }

    var cursor: SourceCursor {
        SourceCursor(rawValue: sequences.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ","))
    }
}
