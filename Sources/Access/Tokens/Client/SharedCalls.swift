import Synchronization

/// Lets callers that want the same at the same time share one piece of work.
final class SharedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let running = Mutex<[Key: Task<Value, any Error>]>([:])

    /// What `work` gives, or what the same work that is under way gives.
    ///
    /// The work goes on when a caller leaves: others may wait for it. It has to end by itself.
    func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
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
