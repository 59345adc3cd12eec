package import Storage

/// Reads the rows of a store for its check.
struct StoreChecker: EngineChecker {
    let snapshot: SQLiteSnapshot
    var check: StoreCheck

    var connection: Connection { snapshot.connection }

    func count(_ sql: StaticString) throws -> Int64 {
        try connection.first(sql) { $0.integer(0) } ?? 0
    }

    mutating func checkStructures() throws {
        try checkFile()
        try checkDatabase()
    }

    private mutating func checkFile() throws {
        try check.tick(.file, 0, of: 1)
        // SQLite stops after a hundred problems.
        for finding in try connection.all("PRAGMA integrity_check", row: { $0.text(0) }) where finding != "ok" {
            check.record(.file, finding)
        }
        try check.tick(.file, 1, of: 1)
    }

    private mutating func checkDatabase() throws {
        do {
            check.lastSequence = try snapshot.storedSequence()
            _ = try snapshot.uuid
            check.collections = Dictionary(try snapshot.collections().map { ($0.key, $0) }) { first, _ in first }
        } catch let error as StorageError where error.code == .corrupt {
            check.record(.database, error.message)
        }
    }
}

extension SQLiteStore {
    /// Checks the whole store. The write-ahead log cannot be truncated until the check ends.
    package func check(limit: Int, progress: @escaping @Sendable (CheckProgress) -> Void) async throws -> CheckReport {
        try await CheckCancellation.during { cancellation in
            try await readers.read { snapshot in
                var checker = StoreChecker(
                    snapshot: snapshot, check: StoreCheck(limit: limit, progress: progress, cancellation: cancellation))
                return try checker.run()
            }
        }
    }
}
