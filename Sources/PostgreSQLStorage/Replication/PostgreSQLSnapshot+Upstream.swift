import Storage

extension PostgreSQLSnapshot {
    func upstream() throws -> UpstreamRecord? {
        try connection.first("SELECT source, era, is_opaque, ordinal, counted, pulled FROM upstream") { row in
            var record = UpstreamRecord(source: row.text(0), era: row.integer(1))
            record.isOpaque = row.bool(2)
            record.ordinal = row.integer(3)
            record.counted = row.integer(4)
            record.pulled = row.integer(5)
            return record
        }
    }

    func upstreamOrdinal(ofToken digest: [UInt8]) throws -> Int64? {
        try connection.first("SELECT ordinal FROM upstream_tokens WHERE digest = $1", digest) { $0.integer(0) }
    }

    func firstUnshown() throws -> SequenceNumber? {
        try firstUnshown(after: try shownMark(), limit: .max).first
    }

    func firstShown(behind ordinal: Int64) throws -> SequenceNumber? {
        try connection.first("SELECT min(sequence) FROM upstream_feed WHERE ordinal > $1", ordinal) { row in
            row.optionalInteger(0).map { SequenceNumber($0) }
        } ?? nil
    }

    /// The sequence up to which every document has been shown upstream.
    func shownMark() throws -> SequenceNumber {
        SequenceNumber(try connection.first("SELECT settled FROM upstream") { $0.integer(0) } ?? 0)
    }

    /// The first document after `start` that upstream has not shown, among the next `limit` documents, and the last document before it.
    func firstUnshown(after start: SequenceNumber, limit: Int) throws -> (first: SequenceNumber?, last: SequenceNumber) {
        var last = start
        var first: SequenceNumber?
        try PostgreSQLConnection.pages(limit: limit) { count in
            try connection.each(
                """
                SELECT d.sequence, u.sequence IS NOT NULL FROM documents d LEFT JOIN upstream_feed u ON u.sequence = d.sequence
                WHERE d.sequence > $1 ORDER BY d.sequence LIMIT $2
                """, last, count
            ) { row in
                guard row.bool(1) else {
                    first = SequenceNumber(row.integer(0))
                    return false
                }
                last = SequenceNumber(row.integer(0))
                return true
            }
        }
        return (first, last)
    }

    var hasUpstreamLosses: Bool {
        get throws { try connection.first("SELECT 1 FROM upstream_losses LIMIT 1") { _ in true } ?? false }
    }

    func upstreamDevices(of user: String, from first: String, to end: String) throws -> [UpstreamDeviceRecord] {
        try connection.all(
            "SELECT channels, position, silent, learned FROM upstream_sights WHERE user_name = $1 AND place >= $2 AND place < $3", user,
            first,
            end
        ) { Self.device($0) }
    }

    func upstreamOrdinal(at sequence: SequenceNumber) throws -> Int64? {
        try connection.first("SELECT ordinal FROM upstream_feed WHERE sequence = $1", sequence) { $0.integer(0) }
    }

    func upstreamDevice(of user: String, at place: String) throws -> UpstreamDeviceRecord? {
        try connection.first(
            "SELECT channels, position, silent, learned FROM upstream_sights WHERE user_name = $1 AND place = $2", user, place
        ) { Self.device($0) }
    }

    private static func device(_ row: PostgreSQLRow) -> UpstreamDeviceRecord {
        UpstreamDeviceRecord(
            channels: row.text(0), position: row.optionalInteger(1).map { SequenceNumber($0) }, silent: row.optionalText(2),
            learned: row.optionalInteger(3).map { SequenceNumber($0) })
    }

    func isShownUpstream(_ sequence: SequenceNumber) throws -> Bool {
        try connection.first("SELECT 1 FROM upstream_feed WHERE sequence = $1", sequence) { _ in true } ?? false
    }
}
