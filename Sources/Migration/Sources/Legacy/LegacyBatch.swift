/// A batch under construction, document by document.
struct LegacyBatch {
    private let limits: SourceBatchLimits
    private var items: [SourceItem] = []
    private var current: LegacyDocument?
    private var ancestorBytes = 0
    private var documents = 0
    private var bytes = 0

    /// Key of the last finished document.
    private(set) var last: Int64?

    init(_ limits: SourceBatchLimits) {
        self.limits = limits
    }

    /// Whether the batch has reached a limit.
    var isFull: Bool { documents >= limits.documents || bytes >= limits.bytes }

    /// The batch; `nil` if it is empty.
    var result: SourceBatch? {
        last.map { SourceBatch(items: items, cursor: SourceCursor(rawValue: "\($0)")) }
    }

    /// Whether a row belongs to another document than the previous row.
    func isNew(_ key: Int64) -> Bool { current?.key != key }

    mutating func begin(_ document: LegacyDocument) {
        current = document
        ancestorBytes = 0
    }

    /// Adds a revision. Bodies of ancestors beyond the body limit are dropped; they are useful, but not required.
    mutating func add(_ row: LegacyRow) {
        if !row.isCurrent { ancestorBytes += row.json?.count ?? 0 }
        current?.rows.append(row.isCurrent || ancestorBytes <= limits.bodyBytes ? row : row.withoutBody)
    }

    /// Finishes the current document, if any.
    ///
    /// - Parameter complete: Adds content from other tables.
    mutating func finishDocument(_ complete: (inout LegacyDocument) throws -> Void) rethrows {
        guard var document = current else { return }
        try complete(&document)
        finish(document)
    }

    /// Adds a complete document.
    mutating func finish(_ document: LegacyDocument) {
        current = nil
        items += document.items(bodyBytes: limits.bodyBytes)
        documents += 1
        bytes += document.size
        last = document.key
    }

    /// Adds a fault and continues.
    mutating func refuse(_ fault: SourceFault) {
        items.append(.fault(fault))
    }

    /// Records that all documents up to this key have been read.
    mutating func reach(_ key: Int64) {
        last = key
    }
}
