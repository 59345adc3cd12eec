extension SQLiteSnapshot {
    func expiry(of document: DocumentKey) throws -> Int64? {
        try connection.first("SELECT time FROM expiries WHERE document = ?1", document) { $0.integer(0) }
    }

    func expired(at time: Int64, limit: Int) throws -> [DocumentKey] {
        try connection.all("SELECT document FROM expiries WHERE time <= ?1 ORDER BY time LIMIT ?2", time, limit) {
            DocumentKey($0.integer(0))
        }
    }

    func nextExpiry(after time: Int64) throws -> Int64? {
        try connection.first("SELECT time FROM expiries WHERE time > ?1 ORDER BY time LIMIT 1", time) { $0.integer(0) }
    }
}
