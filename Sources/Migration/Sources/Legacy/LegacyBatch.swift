/// A batch that grows document by document, as rows arrive.
struct LegacyBatch {
    private let limits: SourceBatchLimits
    private var items: [SourceItem] = []
    private var current: LegacyDocument?
    private var ancestorBytes = 0
    private var documents = 0
    private var bytes = 0

    /// The document that was finished last.
    private(set) var last: Int64?

    init(_ limits: SourceBatchLimits) {
        self.limits = limits
    }

    /// Whether the batch ends here.
    var isFull: Bool { documents >= limits.documents || bytes >= limits.bytes }

    /// What was read, if anything was.
    var result: SourceBatch? {
        last.map { SourceBatch(items: items, cursor: SourceCursor(rawValue: "\($0)")) }
    }

    /// Whether a row is of another document than the one before.
    func isNew(_ key: Int64) -> Bool { current?.key != key }

    mutating func begin(_ document: LegacyDocument) {
        current = document
        ancestorBytes = 0
    }

    /// Adds a revision. Bodies of ancestors are taken as long as there is room: they are of use, but nothing is lost without them.
    mutating func add(_ row: LegacyRow) {
        if !row.isCurrent { ancestorBytes += row.json?.count ?? 0 }
        current?.rows.append(row.isCurrent || ancestorBytes <= limits.bodyBytes ? row : row.withoutBody)
    }

    /// Ends the document that was begun last, if there is one.
    ///
    /// - Parameter complete: adds what does not stand in its rows.
    mutating func finishDocument(_ complete: (inout LegacyDocument) throws -> Void) rethrows {
        guard var document = current else { return }
        try complete(&document)
        finish(document)
    }

    /// Adds a whole document.
    mutating func finish(_ document: LegacyDocument) {
        current = nil
        items += document.items(bodyBytes: limits.bodyBytes)
        documents += 1
        bytes += document.size
        last = document.key
    }

    /// Adds what cannot be read, and goes on after it.
    mutating func refuse(_ fault: SourceFault) {
        items.append(.fault(fault))
    }

    /// Everything up to this key has been read.
    mutating func reach(_ key: Int64) {
        last = key
    }
}
