import Documents

/// A dump: what CouchDB, Sync Gateway or their tools wrote of a database's documents.
///
/// It is cut into pieces of JSON by lines or by brackets, and each piece is read by itself. A cursor is the place of the next piece in bytes
/// of the content; `in` says that it lies in an array within a line.
actor DumpSource: MigrationSource {
    nonisolated let label: String
    private let layout: DumpLayout
    private let identity: String
    private var stream: DumpStream
    private var isInArray = false
    private var isAtEnd = false

    /// Whether the content ends where more was to come.
    private var isCut = false
    private var expectsRows: Bool

    /// How much of the beginning is looked at to tell the layout.
    private static let headSize = 1 << 20

    /// - Throws: ``SourceError``.
    init(path: String) throws {
        label = path
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
        expectsRows = layout.hasRows
        identity = AttachmentDigest.sha1(of: head.prefix(4096)).description
        try file.seek(to: 0)
        stream = DumpStream(file)
    }

    func summary() -> SourceSummary {
        let kind =
            switch layout.form {
            case .lines: "Dump (values a line)"
            case .rows: "Dump (rows a line)"
            case .elements: "Dump (an array)"
            }
        return SourceSummary(kind: kind, identity: identity)
    }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) throws -> SourceBatch? {
        do {
            try go(to: cursor)
            var (items, values, bytes): ([SourceItem], Int, Int) = ([], 0, 0)
            let wasAtEnd = isAtEnd
            while values < limits.documents, bytes < limits.bytes, let piece = try nextPiece(limits) {
                values += 1
                bytes += piece.bytes.count
                items += self.items(piece, limits)
            }
            if isAtEnd, !wasAtEnd, let reason = stream.damage ?? (isCut ? "the dump ends before its array does" : nil) {
                items.append(.fault(SourceFault(id: "byte \(stream.offset)", reason: "\(reason); what followed is not here")))
            }
            guard values > 0 || !items.isEmpty else { return nil }
            return SourceBatch(
                items: items, cursor: SourceCursor(rawValue: "\(stream.offset)\(isInArray ? " in" : "")\(isAtEnd ? " end" : "")"))
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError(.unreachable, "\(label): cannot be read. Check the disk.", cause: error)
        }
    }

    /// A dump has attachments within its documents or not at all.
    nonisolated func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        throw SourceError(
            .attachmentMissing, "\(label): the dump does not have the bytes of \"\(attachment.name)\" of \"\(attachment.document)\".")
    }

    func close() {}

    private func go(to cursor: SourceCursor?) throws {
        guard let cursor else {
            try stream.seek(to: layout.start)
            isInArray = layout.form == .elements
            isAtEnd = false
            return
        }
        let parts = cursor.rawValue.split(separator: " ")
        guard let first = parts.first, let offset = Int(first), offset >= 0 else {
            throw SourceError(.changed, "\(label): \"\(cursor.rawValue)\" is no place in this dump. Start the run anew.")
        }
        isInArray = parts.contains("in")
        isAtEnd = parts.contains("end")
        try stream.seek(to: offset)
    }

    private func items(_ piece: DumpPiece, _ limits: SourceBatchLimits) -> [SourceItem] {
        let place = "byte \(piece.offset)"
        guard piece.isWhole else {
            let reason =
                piece.isEnded ? "it has \(piece.length) bytes, too many for a document" : "its brackets do not match, or it is cut off"
            return [
                .fault(
                    SourceFault(
                        id: DumpValue.guessedID(piece.bytes[...]) ?? place, reason: "\(place): \(reason)",
                        bytes: piece.isEnded ? [] : piece.bytes))
            ]
        }
        let value = DumpValue(piece.bytes[...], place: place, expectsRow: expectsRows, bodyBytes: limits.bodyBytes)
        if value.kind != .neither { expectsRows = value.kind == .row }
        return value.items
    }

    /// The next piece that may be a document.
    private func nextPiece(_ limits: SourceBatchLimits) throws -> DumpPiece? {
        // Attachments that stand in a document, a third longer in base64, do not count as its body.
        let limit = limits.bodyBytes * 3
        while !isAtEnd {
            if isInArray {
                if let piece = try nextElement(limit) { return piece }
                continue
            }
            guard let next = try stream.skip(layout.form == .rows ? [0x2c] : []) else {
                isAtEnd = true
                isCut = layout.form == .rows
                return nil
            }
            if next == 0x5d, layout.form == .rows {
                isAtEnd = true
            } else if next == 0x5b {
                stream.advance()
                isInArray = true
            } else {
                var piece = try stream.line(keeping: limit)
                piece.trim()
                return piece
            }
        }
        return nil
    }

    /// The next element of the array; `nil` if it has ended.
    private func nextElement(_ limit: Int) throws -> DumpPiece? {
        let isLine = layout.form != .elements
        let next = try isLine ? nextInLine() : stream.skip([0x2c])
        guard let next, next != 0x5d else {
            isInArray = false
            isCut = !isLine && next == nil
            if isLine {
                _ = try stream.line(keeping: 0)
            } else {
                isAtEnd = true
            }
            return nil
        }
        var piece = try stream.element(keeping: limit, endsAtNewline: isLine)
        guard !piece.isEnded else { return piece }
        // Brackets do not match: what looks like the next document is taken for it.
        let end = stream.offset
        try stream.seek(to: piece.offset + 1)
        if try stream.findBeginning(ofRow: expectsRows, endsAtNewline: isLine) {
            piece.cut(to: stream.offset - piece.offset)
        } else {
            try stream.seek(to: end)
        }
        return piece
    }

    /// The next byte of the line that is neither a space nor a comma; `nil` at the line's end.
    private func nextInLine() throws -> UInt8? {
        while let byte = try stream.peek(), byte != 0x0a {
            guard byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x2c else { return byte }
            stream.advance()
        }
        return nil
    }
}
