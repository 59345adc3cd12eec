import Documents
import Gateway
import LegacyProtocol
import Storage

/// Reads the rows of a changes feed, and encodes them piece by piece.
struct ChangesPieces: Sendable {
    /// The constant parts, which all copies share.
    final class Plan: Sendable {
        let keyspace: Keyspace
        let options: ChangesOptions
        let limits: LegacyLimits
        let encoder: ChangesEncoder

        init(keyspace: Keyspace, options: ChangesOptions, limits: LegacyLimits, encoder: ChangesEncoder) {
            self.keyspace = keyspace
            self.options = options
            self.limits = limits
            self.encoder = encoder
        }
    }

    let plan: Plan
    private(set) var cursor: ChangesCursor

    /// Rows that were read and whose documents were not sent yet.
    private var rest: ArraySlice<ChangeRow> = []

    /// The position of the last sent row while other rows of its batch are not sent yet.
    private var sent: FeedPosition?

    /// Whether a row was written, so that the next one needs a comma.
    private var hasRows = false

    init(plan: Plan, cursor: ChangesCursor) {
        self.plan = plan
        self.cursor = cursor
    }

    /// Whether all requested rows that exist were read.
    var isAtEnd: Bool { rest.isEmpty && (cursor.isExhausted || cursor.isCaughtUp) }

    /// The position at which the client continues.
    var position: FeedPosition { sent ?? cursor.position }

    /// The kind of the reads, by which they take turns with others.
    var turn: FeedWorkKind {
        guard cursor.staysOpen else { return .request }
        if case .function = plan.options.filter { return .filtered }
        return .woken
    }

    /// The next rows; empty if there are none.
    mutating func read(_ layout: ChangesLayout) async throws -> SegmentedBody {
        var piece = SegmentedBody()
        if rest.isEmpty { rest = try await cursor.next(from: plan.keyspace)[...] }
        guard !rest.isEmpty else { return piece }
        if plan.options.includesDocuments {
            try await appendWithDocuments(layout, to: &piece)
        } else {
            piece.reserve(rest.count * 112)
            piece.append { append(rest, layout, to: &$0) }
            rest = []
        }
        if case .array = layout { piece.append { $0.append(UInt8(ascii: "]")) } }
        return piece
    }

    private mutating func append(_ rows: ArraySlice<ChangeRow>, _ layout: ChangesLayout, to bytes: inout [UInt8]) {
        for row in rows {
            if plan.options.partsLeaves, let (others, last) = row.parted {
                append(others, layout, to: &bytes)
                append(last, layout, to: &bytes)
            } else {
                append(row, layout, to: &bytes)
            }
        }
    }

    private mutating func append(_ row: ChangeRow, _ layout: ChangesLayout, to bytes: inout [UInt8]) {
        open(row, layout, isFirst: bytes.isEmpty, &bytes)
        plan.encoder.append(row, to: &bytes)
        close(row, layout, &bytes)
    }

    private mutating func appendWithDocuments(_ layout: ChangesLayout, to piece: inout SegmentedBody) async throws {
        let reader = RevisionReader(keyspace: plan.keyspace, limits: plan.limits)
        var writer = DocumentWriter(keyspace: plan.keyspace, options: plan.options.documents, limits: plan.limits)
        // The message of a WebSocket is sent as a whole.
        if case .array = layout { writer.atHand = true }
        let queries = rest.prefix(plan.limits.readBatch).map { RevisionQuery(id: $0.id, revision: .init($0.revision)) }
        let answers = try await reader.read(queries[...])
        for (row, answer) in zip(rest, answers) {
            var document = SegmentedBody()
            // The document was written again meanwhile; its new row follows later.
            if case .success(let content) = answer.first {
                try await writer.append(content, to: &document)
            } else {
                document.append { $0 += "null".utf8 }
            }
            if layout.hasLines { document = document.onOneLine }
            let isFirst = piece.isEmpty
            piece.append { open(row, layout, isFirst: isFirst, &$0) }
            plan.encoder.append(row, document: document, to: &piece)
            piece.append { close(row, layout, &$0) }
        }
        let written = rest.prefix(answers.count)
        rest = rest.dropFirst(answers.count)
        sent = rest.isEmpty ? nil : written.last?.position
    }

    /// - Parameter isFirst: Whether the row is the first one of its piece.
    private mutating func open(_ row: ChangeRow, _ layout: ChangesLayout, isFirst: Bool, _ bytes: inout [UInt8]) {
        switch layout {
        case .list: if hasRows { bytes.append(UInt8(ascii: ",")) }
        case .lines: break
        case .events: bytes += "data: ".utf8
        case .array: bytes.append(UInt8(ascii: isFirst ? "[" : ","))
        }
        hasRows = true
    }

    private func close(_ row: ChangeRow, _ layout: ChangesLayout, _ bytes: inout [UInt8]) {
        switch layout {
        case .list, .lines: bytes.append(UInt8(ascii: "\n"))
        case .events: bytes += "\nid: \(row.position)\n\n".utf8
        case .array: break
        }
    }
}

/// How rows are separated.
enum ChangesLayout {
    /// `{row}\n,{row}\n`, within one array for all batches.
    case list
    /// `{row}\n{row}\n`.
    case lines
    /// `data: {row}\nid: seq\n\n`, as in CouchDB.
    case events
    /// `[{row},{row}]`, an array for each piece.
    case array
}

extension ChangesLayout {
    /// Whether each row must be on one line.
    fileprivate var hasLines: Bool {
        switch self {
        case .lines, .events: true
        case .list, .array: false
        }
    }
}

extension ChangeRow {
    /// The row split in two for Couchbase Lite: first the other leaves with the preceding sequence, then the last leaf; `nil` for a row with one
    /// leaf.
    ///
    /// Couchbase Lite records each stored leaf by the sequence of its row. If the connection breaks between the leaves of one row, its checkpoint
    /// is already past the row, and it never requests the remaining leaves, with Sync Gateway either. After the first of two rows, its checkpoint
    /// is still before the second.
    var parted: (others: ChangeRow, last: ChangeRow)? {
        guard let leaf = otherLeaves.last else { return nil }
        return (
            part(SequenceNumber(sequence.value - 1), revision, Array(otherLeaves.dropLast())), part(sequence, leaf, [])
        )
    }

    private func part(_ sequence: SequenceNumber, _ revision: String, _ otherLeaves: [String]) -> ChangeRow {
        var row = ChangeRow(
            sequence: sequence, id: id, revision: revision, otherLeaves: otherLeaves, isDeleted: isDeleted, departure: departure,
            bodySize: bodySize)
        row.trigger = trigger
        row.reached = reached
        return row
    }
}
