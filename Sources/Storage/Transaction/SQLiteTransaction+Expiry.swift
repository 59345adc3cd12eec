extension SQLiteTransaction {
    func setExpiry(_ time: Int64?, of document: DocumentKey) throws {
        guard let time else {
            return try connection.run("DELETE FROM expiries WHERE document = ?1", document)
        }
        try connection.run(
            "INSERT INTO expiries (document, time) VALUES (?1, ?2) ON CONFLICT (document) DO UPDATE SET time = excluded.time", document,
            time)
    }
}
