extension SQLiteSnapshot {
    var hasReaders: Bool {
        get throws { try connection.first("SELECT 1 FROM settings WHERE name = ?1", Self.readersSetting) { _ in true } ?? false }
    }

    static var readersSetting: String { "store.readers" }

    var hasUpstreamLosses: Bool {
        get throws { try connection.first("SELECT 1 FROM upstream_losses LIMIT 1") { _ in true } ?? false }
    }

    func upstreamSights(of user: String, from first: String, to end: String) throws -> [UpstreamSightRecord] {
        try connection.all(
            "SELECT channels, position, silent, learned FROM upstream_sights WHERE user = ?1 AND place >= ?2 AND place < ?3", user, first,
            end
        ) { Self.sight($0) }
    }

    func upstreamOrdinal(at sequence: Sequence) throws -> Int64? {
        try connection.first("SELECT ordinal FROM upstream_feed WHERE sequence = ?1", sequence) { $0.integer(0) }
    }

    func upstreamSight(of user: String, at place: String) throws -> UpstreamSightRecord? {
        try connection.first(
            "SELECT channels, position, silent, learned FROM upstream_sights WHERE user = ?1 AND place = ?2", user, place
        ) { Self.sight($0) }
    }

    private static func sight(_ row: Row) -> UpstreamSightRecord {
        UpstreamSightRecord(
            channels: row.text(0), position: row.optionalInteger(1).map { Sequence($0) }, silent: row.optionalText(2),
            learned: row.optionalInteger(3).map { Sequence($0) })
    }
}
