import Documents
import Gateway
import HummingbirdCore
import NIOCore
import Storage

/// Sends one answer of a changes feed, in bounded pieces and no faster than the client takes it.
struct ChangesWriter: Sendable {
    /// What does not change. It is shared, as feeds keep several copies of their writer while they wait.
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

    /// Whether a row has been written, and the next one needs a comma before it.
    private var hasRows = false

    /// - Parameter commits: what tells a feed that stays open of what is new; `nil` for one that does not.
    /// - Throws: ``LegacyError`` if the filter is not there, or is no function.
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

    /// How rows are told apart.
    enum Layout {
        /// `{row}\n,{row}\n`, within one array over all batches.
        case list
        /// `{row}\n{row}\n`.
        case lines
        /// `data: {row}\nid: seq\n\n`, as CouchDB has them.
        case events
        /// `[{row},{row}]`, an array for each batch.
        case array
    }

    /// Whether everything that was asked for and is there has been read.
    var isAtEnd: Bool { cursor.isExhausted || cursor.isCaughtUp }

    /// Reads the next batch; returns its rows as they are sent, empty if there were none.
    mutating func nextBatch(_ layout: Layout) async throws -> [UInt8] {
        let start = self
        let bytes: [UInt8]
        (self, bytes) = try await FeedTurn.run {
            var writer = start
            let bytes = try await writer.read(layout)
            return (writer, bytes)
        }
        return bytes
    }

    private mutating func read(_ layout: Layout) async throws -> [UInt8] {
        let rows = try await cursor.next(from: keyspace)
        guard !rows.isEmpty else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.count * 112)
        if plan.options.includesDocuments {
            try await appendWithDocuments(rows, layout, to: &bytes)
        } else {
            append(rows, layout, to: &bytes)
        }
        if case .array = layout { bytes.append(UInt8(ascii: "]")) }
        return bytes
    }

    private mutating func append(_ rows: [ChangeRow], _ layout: Layout, to bytes: inout [UInt8]) {
        for row in rows {
            if plan.options.partsLeaves, let (others, last) = row.parted {
                append(others, document: nil, layout, to: &bytes)
                append(last, document: nil, layout, to: &bytes)
            } else {
                append(row, document: nil, layout, to: &bytes)
            }
        }
    }

    private mutating func appendWithDocuments(_ rows: [ChangeRow], _ layout: Layout, to bytes: inout [UInt8]) async throws {
        let reader = RevisionReader(keyspace: keyspace, limits: plan.limits)
        var rest = rows[...]
        while !rest.isEmpty {
            let queries = rest.prefix(plan.limits.readBatch).map { RevisionQuery(id: $0.id, revision: .init($0.revision)) }
            let answers = try await reader.read(queries[...])
            for (row, answer) in zip(rest, answers) { append(row, document: try await document(answer), layout, to: &bytes) }
            rest = rest.dropFirst(answers.count)
        }
    }

    private mutating func append(_ row: ChangeRow, document: [UInt8]?, _ layout: Layout, to bytes: inout [UInt8]) {
        switch layout {
        case .list:
            if hasRows { bytes.append(UInt8(ascii: ",")) }
            plan.encoder.append(row, document: document, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        case .lines:
            plan.encoder.append(row, document: document.map(Self.oneLine), to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        case .events:
            bytes += "data: ".utf8
            plan.encoder.append(row, document: document.map(Self.oneLine), to: &bytes)
            bytes += "\nid: \(row.position)\n\n".utf8
        case .array:
            bytes.append(bytes.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            plan.encoder.append(row, document: document, to: &bytes)
        }
        hasRows = true
    }

    /// A document keeps the white space that its writer gave it. Within texts there are no line breaks: JSON escapes them there.
    private static func oneLine(_ json: [UInt8]) -> [UInt8] {
        let breaks: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        guard json.contains(where: breaks.contains) else { return json }
        return json.map { breaks.contains($0) ? UInt8(ascii: " ") : $0 }
    }

    /// A document that was written again meanwhile has a row of its own further on.
    private func document(_ answer: [Result<RevisionContent, LegacyError>]) async throws -> [UInt8] {
        guard case .success(let content) = answer.first else { return Array("null".utf8) }
        return try await DocumentWriter(keyspace: keyspace, options: plan.options.documents, limits: plan.limits).json(of: content)
    }
}
