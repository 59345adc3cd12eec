/// Lets concurrent callers with the same key share one operation.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let running = Lock<[Key: Task<Value, any Error>]>([:])

    package init() {}

    /// The result of `work`, or of the running operation with the same key.
    ///
    /// The operation continues when a caller is cancelled, because others may wait for it; the cancelled caller waits for it, too. It must end by
    /// itself. A caller after its end begins another one.
    ///
    /// - Throws: The error of the operation, to all its callers.
    package func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = running.withLock { running in
            if let task = running[key] { return task }
            let task = Task {
                defer { self.remove(key) }
                return try await work()
            }
            running[key] = task
            return task
        }
        return try await task.value
    }

    private func remove(_ key: Key) {
        running.withLock { $0[key] = nil }
    }
}
