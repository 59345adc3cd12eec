import Documents

/// A dump of a database's documents by CouchDB, Sync Gateway or their tools.
///
/// The dump is split into pieces of JSON by lines or brackets, and each piece is parsed on its own. A document whose leaves are separate rows is
/// returned complete at its first row. The dump is therefore scanned once before it is read. A document that is too large for memory is returned
/// in parts.
///
/// A cursor is the position of the next piece in bytes of the content. `in` marks a position within an array on one line. The last number is the
/// content's length when the preceding batches were read, because a dump may have grown since.
actor DumpSource: MigrationSource {
    nonisolated let label: String
    private let path: String
    private let layout: DumpLayout
    private let identity: String
    private let isCompressed: Bool
    private var reader: DumpReader

    /// Result of the scan.
    private var found: Found?

    private let partLimits: DumpIndex.PartLimits
    private var parts = DumpParts()

    /// Start of this process's reading.
    private var base = Base(offset: 0, known: 0)

    /// The last returned cursor.
    private var last: SourceCursor?

    private struct Found {
        /// `nil` if no document has several rows.
        let index: DumpIndex?

        /// Number of documents, including unreadable ones.
        let documents: Int

        /// The content's length.
        let length: Int
    }

    private struct Base {
        /// An earlier process returned the documents that begin before this position.
        var offset: Int

        /// The length of the content that the earlier process scanned.
        var known: Int
    }

    /// Number of bytes from which the layout is detected.
    private static let headSize = 1 << 20

    /// Number and bytes of rows in one insertion into the index.
    private static let indexed = (rows: 1_000, bytes: 4 << 20)

    /// - Throws: ``SourceError``.
    init(path: String, partLimits: DumpIndex.PartLimits = DumpIndex.PartLimits()) throws {
        label = path
        self.partLimits = partLimits
        self.path = path
        let file = try DumpFile(path: path)
        var head: [UInt8] = []
        while head.count < Self.headSize, let block = try file.block() { head += block }
        if let damage = file.damage, head.isEmpty { throw SourceError(.damaged, "\(path): \(damage).") }
        guard let layout = DumpLayout(head) else {
            throw SourceError(
                .unsupported,
                "\(path): neither a Couchbase Lite database nor a dump: its content does not begin with { or [. Dumps are JSON: _all_docs or "
                    + "_changes with include_docs=true, a document a line, or couchbackup's arrays; also as gzip.")
        }
        self.layout = layout
        identity = AttachmentDigest.sha1(of: head.prefix(4096)).description
        isCompressed = file.isCompressed
        try file.seek(to: 0)
        reader = try DumpReader(file, layout, label: path)
    }

    func summary() -> SourceSummary {
        let kind =
            switch layout.form {
            case .lines: "Dump (values a line)"
            case .rows: "Dump (rows a line)"
            case .elements: "Dump (an array)"
            }
        return SourceSummary(kind: kind, identity: identity, documents: found?.documents)
    }

    func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) throws {
        guard found == nil else { return }
        do {
            found = try buildIndex(progress)
        } catch let error as SourceError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            throw SourceError(.unreachable, "\(label): cannot be read. Check the disk.", cause: error)
        }
    }

    private func buildIndex(_ progress: @Sendable (MigrationProgress) throws -> Void) throws -> Found {
        let file = try DumpFile(path: path)
        var reader = try DumpReader(file, layout, label: label)
        let index = try DumpIndex(partLimits)
        var (rows, bytes, others): ([DumpIndex.Row], Int, Int) = ([], 0, 0)
        while let piece = try reader.next(keeping: Self.pieceSize(SourceBatchLimits())) {
            guard piece.isWhole, let identity = DumpIdentity(piece.bytes[...]) else {
                if !DumpValue.isFrame(piece.bytes) { others += 1 }
                continue
            }
            reader.expectsRows = identity.isRow
            rows.append(DumpIndex.Row(id: identity.id, offset: piece.offset, bytes: piece.bytes))
            bytes += piece.bytes.count
            guard rows.count >= Self.indexed.rows || bytes >= Self.indexed.bytes else { continue }
            try index.add(rows)
            (rows, bytes) = ([], 0)
            try progress(
                MigrationProgress(
                    done: file.position, total: file.size, activity: "looking through the dump", unit: .bytes, phase: .preparing))
        }
        try index.add(rows)
        let documents = try index.documents() + others
        return Found(index: try index.hasLaterRows() ? index : nil, documents: documents, length: reader.offset)
    }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) throws -> SourceBatch? {
        try prepare { _ in }
        do {
            try go(to: cursor)
            var (items, values, bytes): ([SourceItem], Int, Int) = ([], 0, 0)
            let wasAtEnd = reader.isAtEnd
            while values < limits.documents, bytes < limits.bytes, let piece = try reader.next(keeping: Self.pieceSize(limits)) {
                values += 1
                guard try !wasReadEarlier(piece) else { continue }
                let read = try self.items(piece, limits)
                bytes += read.bytes
                items += read.items
            }
            if reader.isAtEnd, !wasAtEnd, let reason = reader.damage {
                let place = place(reader.offset)
                items.append(.fault(SourceFault(id: place, place: place, reason: "\(reason); the rest is missing")))
            }
            guard values > 0 || !items.isEmpty else { return nil }
            let known = reader.isAtEnd ? found?.length ?? base.known : base.known
            let end = SourceCursor(rawValue: "\(reader.place) \(known)")
            last = end
            return SourceBatch(items: items, cursor: end)
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError(.unreachable, "\(label): cannot be read. Check the disk.", cause: error)
        }
    }

    /// Dumps contain attachments only inline.
    nonisolated func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        throw SourceError(
            .attachmentMissing,
            "\(label) has no bytes of it. Make the dump with attachments=true, or name a source that has them: quarantine retry --from.")
    }

    func close() {}

    /// Inline attachments do not count as part of the body; base64 makes them a third longer.
    private static func pieceSize(_ limits: SourceBatchLimits) -> Int { limits.bodyBytes * 3 }

    private func go(to cursor: SourceCursor?) throws {
        guard let cursor else {
            base = Base(offset: 0, known: found?.length ?? 0)
            return try reader.goToBeginning()
        }
        let parts = cursor.rawValue.split(separator: " ")
        guard let first = parts.first, let offset = Int(first), offset >= 0 else {
            throw SourceError(
                .changed, "\(label): \"\(cursor.rawValue)\" is not a position in this dump. Start the run again from the beginning.")
        }
        // Cursors without a length were written by a version that read each row separately.
        let known = parts.dropFirst().last.flatMap { Int($0) } ?? offset
        if cursor != last { base = Base(offset: offset, known: known) }
        try reader.go(to: offset, parts)
        if let found, found.length > known { reader.goBeyondEnd() }
    }

    /// Whether a row has been returned with the first row of its document.
    private func wasReadEarlier(_ piece: DumpPiece) throws -> Bool {
        guard let index = found?.index, let first = try index.first(ofLaterRow: piece.offset) else { return false }
        return piece.offset < base.known || first >= base.offset
    }

    private func items(_ piece: DumpPiece, _ limits: SourceBatchLimits) throws -> (items: [SourceItem], bytes: Int) {
        let place = place(piece.offset)
        guard piece.isWhole else {
            let reason =
                piece.isEnded
                ? "it has \(piece.length) bytes, too many for a document; the first \(piece.bytes.count) are kept"
                : "its brackets do not match, or it is cut off"
            let fault = SourceFault(
                id: DumpValue.guessedID(piece.bytes[...]) ?? place, place: place, reason: reason, bytes: piece.bytes, length: piece.length)
            return ([.fault(fault)], piece.bytes.count)
        }
        let value = DumpValue(piece.bytes[...], place: place, expectsRow: reader.expectsRows, bodyBytes: limits.bodyBytes)
        if value.kind != .neither { reader.expectsRows = value.kind == .row }
        guard let index = found?.index, let id = DumpIdentity(piece.bytes[...])?.id else { return (value.items, piece.bytes.count) }
        let rows = try index.rows(of: id, with: piece.offset)
        var items = value.items
        if !rows.isEmpty { items = SourceItem.merged(items + rows.flatMap { self.items($0, limits) }) }
        let part = try index.part(of: id, at: piece.offset)
        if part.isOfMany, part.isFirst {
            items = try parts.first(items, at: place) { visit in
                value.items.forEach(visit)
                try index.eachLaterRow(of: id) { row in self.items(row, limits).forEach(visit) }
            }
        } else if part.isOfMany {
            items = parts.later(items, at: place)
        }
        return (items, rows.reduce(piece.bytes.count) { $0 + $1.bytes.count })
    }

    private func items(_ row: DumpIndex.Row, _ limits: SourceBatchLimits) -> [SourceItem] {
        DumpValue(row.bytes[...], place: place(row.offset), expectsRow: reader.expectsRows, bodyBytes: limits.bodyBytes).items
    }

    private func place(_ offset: Int) -> String {
        "byte \(offset)\(isCompressed ? " of the unpacked text" : "")"
    }
}
