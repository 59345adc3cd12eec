extension SQLiteSnapshot {
    var hasReaders: Bool {
        get throws { try connection.first("SELECT 1 FROM settings WHERE name = ?1", Self.readersSetting) { _ in true } ?? false }
    }

    static var readersSetting: String { "store.readers" }

    var hasUpstreamLosses: Bool {
        get throws { try connection.first("SELECT 1 FROM upstream_losses LIMIT 1") { _ in true } ?? false }
    }

    func upstreamSight(of user: String, at place: String) throws -> (channels: String, position: Sequence?)? {
        try connection.first("SELECT channels, position FROM upstream_sights WHERE user = ?1 AND place = ?2", user, place) { row in
            (row.text(0), row.optionalInteger(1).map { Sequence($0) })
        }
    }
}
