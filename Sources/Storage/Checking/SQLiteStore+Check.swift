extension SQLiteStore {
    /// Checks that everything in the store makes sense: SQLite's file, documents, bodies, references, attachments to the last byte.
    ///
    /// It reads one snapshot from beginning to end, in constant memory, while the store goes on serving. The write-ahead log
    /// cannot be shortened until it is done.
    ///
    /// - Parameters:
    ///   - limit: The most problems to describe; all are counted.
    ///   - progress: Told now and then how far the check is. Runs on the check's thread.
    /// - Throws: ``StorageError`` if the store cannot be read at all; `CancellationError`.
    public func check(
        limit: Int = 100, progress: @escaping @Sendable (CheckProgress) -> Void = { _ in }
    ) async throws -> CheckReport {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await readers.read { snapshot in
                var checker = StoreChecker(snapshot, limit: limit, progress: progress, cancellation: cancellation)
                return try checker.check()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
