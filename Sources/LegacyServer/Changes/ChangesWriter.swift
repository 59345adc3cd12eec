import Documents
import Gateway
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// Sends one response of a changes feed in bounded pieces, no faster than the client reads.
struct ChangesWriter: Sendable {
    /// The constant parts of a writer. They are shared, because a waiting feed holds several copies of its writer.
    private final class Plan: Sendable {
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

    private let plan: Plan
    private(set) var cursor: ChangesCursor

    /// Rows that were read and whose documents were not sent yet.
    private var rest: ArraySlice<ChangeRow> = []

    /// The position of the last sent row while other rows of its batch are not sent yet.
    private var sent: FeedPosition?

    /// Whether a row was written, so that the next one needs a comma.
    private var hasRows = false

    /// - Parameter commits: Notifies a feed that stays open of commits; `nil` for other feeds.
    /// - Throws: ``LegacyError`` if the filter does not exist, or is not a function.
    init(
        keyspace: Keyspace, options: ChangesOptions, since: FeedPosition, following commits: CommitSubscription? = nil,
        limits: LegacyLimits, encoder: ChangesEncoder = ChangesEncoder()
    ) async throws {
        plan = Plan(keyspace: keyspace, options: options, limits: limits, encoder: encoder)
        let filter = try await Self.filter(options.filter, in: keyspace)
        cursor = ChangesCursor(options, since: since, filter: filter, following: commits, limits: limits)
    }

    private static func filter(_ filter: ChangesOptions.Filter?, in keyspace: Keyspace) async throws -> ChangesFilter? {
        switch filter {
        case .function(let name, let parameters):
            try await LegacyError.ofFilter { try await keyspace.filter(name, parameters: parameters) }
        case .selector(let selector): keyspace.filter(selecting: selector)
        case nil: nil
        }
    }

    var keyspace: Keyspace { plan.keyspace }
    var chunkSize: Int { plan.limits.chunkSize }

    /// How rows are separated.
    enum Layout {
        /// `{row}\n,{row}\n`, within one array for all batches.
        case list
        /// `{row}\n{row}\n`.
        case lines
        /// `data: {row}\nid: seq\n\n`, as in CouchDB.
        case events
        /// `[{row},{row}]`, an array for each piece.
        case array
    }

    /// Whether all requested rows that exist were sent.
    var isAtEnd: Bool { rest.isEmpty && (cursor.isExhausted || cursor.isCaughtUp) }

    /// The position at which the client continues.
    var position: FeedPosition { sent ?? cursor.position }

    /// The next rows of the response; empty if there are none. At most one batch, or the rows whose documents one snapshot may read.
    mutating func nextPiece(_ layout: Layout) async throws -> SegmentedBody {
        let start = self
        let piece: SegmentedBody
        (self, piece) = try await keyspace.take(turn) {
            var writer = start
            let piece = try await writer.read(layout)
            return (writer, piece)
        }
        return piece
    }

    private var turn: FeedWorkKind {
        guard cursor.staysOpen else { return .request }
        if case .function = plan.options.filter { return .filtered }
        return .woken
    }

    /// Writes a piece of the response.
    func write(_ piece: SegmentedBody, to body: inout any ResponseBodyWriter) async throws {
        try await piece.write(to: &body, from: keyspace, chunkSize: chunkSize)
    }

    private mutating func read(_ layout: Layout) async throws -> SegmentedBody {
        var piece = SegmentedBody()
        if rest.isEmpty { rest = try await cursor.next(from: keyspace)[...] }
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

    private mutating func append(_ rows: ArraySlice<ChangeRow>, _ layout: Layout, to bytes: inout [UInt8]) {
        for row in rows {
            if plan.options.partsLeaves, let (others, last) = row.parted {
                append(others, layout, to: &bytes)
                append(last, layout, to: &bytes)
            } else {
                append(row, layout, to: &bytes)
            }
        }
    }

    private mutating func append(_ row: ChangeRow, _ layout: Layout, to bytes: inout [UInt8]) {
        open(row, layout, isFirst: bytes.isEmpty, &bytes)
        plan.encoder.append(row, to: &bytes)
        close(row, layout, &bytes)
    }

    private mutating func appendWithDocuments(_ layout: Layout, to piece: inout SegmentedBody) async throws {
        let reader = RevisionReader(keyspace: keyspace, limits: plan.limits)
        var writer = DocumentWriter(keyspace: keyspace, options: plan.options.documents, limits: plan.limits)
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
    private mutating func open(_ row: ChangeRow, _ layout: Layout, isFirst: Bool, _ bytes: inout [UInt8]) {
        switch layout {
        case .list: if hasRows { bytes.append(UInt8(ascii: ",")) }
        case .lines: break
        case .events: bytes += "data: ".utf8
        case .array: bytes.append(UInt8(ascii: isFirst ? "[" : ","))
        }
        hasRows = true
    }

    private func close(_ row: ChangeRow, _ layout: Layout, _ bytes: inout [UInt8]) {
        switch layout {
        case .list, .lines: bytes.append(UInt8(ascii: "\n"))
        case .events: bytes += "\nid: \(row.position)\n\n".utf8
        case .array: break
        }
    }
}

extension ChangesWriter.Layout {
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
