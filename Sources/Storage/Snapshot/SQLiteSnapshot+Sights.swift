extension SQLiteSnapshot {
    var hasReaders: Bool {
        get throws { try connection.first("SELECT 1 FROM settings WHERE name = ?1", Self.readersSetting) { _ in true } ?? false }
    }

    static var readersSetting: String { "store.readers" }

    func upstreamSight(of user: String, at place: String) throws -> String? {
        try connection.first("SELECT channels FROM upstream_sights WHERE user = ?1 AND place = ?2", user, place) { $0.text(0) }
    }
}
