extension SQLiteSnapshot {
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
        try connection.first("SELECT ordinal FROM upstream_tokens WHERE digest = ?1", digest) { $0.integer(0) }
    }

    func firstUnshown() throws -> Sequence? {
        try firstUnshown(after: try settled(), limit: .max).first
    }

    func firstShown(behind ordinal: Int64) throws -> Sequence? {
        try connection.first("SELECT min(sequence) FROM upstream_feed WHERE ordinal > ?1", ordinal) { row in
            row.optionalInteger(0).map { Sequence($0) }
        } ?? nil
    }

    /// Up to where every document is known to have been shown.
    func settled() throws -> Sequence {
        Sequence(try connection.first("SELECT settled FROM upstream") { $0.integer(0) } ?? 0)
    }

    /// The first document behind a place that upstream has not shown, looking at `limit` at most; and the last that was found to be shown.
    func firstUnshown(after start: Sequence, limit: Int) throws -> (first: Sequence?, last: Sequence) {
        var last = start
        var first: Sequence?
        try connection.each(
            """
            SELECT d.sequence, u.sequence IS NOT NULL FROM documents d LEFT JOIN upstream_feed u ON u.sequence = d.sequence
            WHERE d.sequence > ?1 ORDER BY d.sequence LIMIT ?2
            """, start, limit
        ) { row in
            guard row.bool(1) else {
                first = Sequence(row.integer(0))
                return false
            }
            last = Sequence(row.integer(0))
            return true
        }
        return (first, last)
    }
}
