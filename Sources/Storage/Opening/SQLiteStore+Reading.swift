import GRDB

extension SQLiteStore {
    public func read<Value: Sendable>(
        _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            // A read on GRDB's terms would begin and end a transaction through four statements of its own; two will do.
            pool.asyncUnsafeRead { [path] lent in
                continuation.resume(with: Result { try Self.read(lent.get(), path, work) }.mapError { Self.failure($0, path) })
            }
        }
    }

    private static func read<Value>(
        _ database: Database, _ path: String, _ work: (any StoreSnapshot) throws -> Value
    ) throws -> Value {
        let connection = try Connection(database, path: path)
        try connection.run("BEGIN")
        let result = Result { try work(SQLiteSnapshot(connection)) }
        if connection.isInTransaction { try connection.run("COMMIT") }
        return try result.get()
    }

    /// What GRDB throws becomes ours; what the caller's work throws stays as it is.
    private static func failure(_ error: any Error, _ path: String) -> any Error {
        error is DatabaseError ? StorageError(error, path: path) : error
    }
}
