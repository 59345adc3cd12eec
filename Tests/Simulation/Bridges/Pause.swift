import Coordination
import Dispatch
import Storage

/// A moment at which a bridge's process is stopped, until the world lets it go on.
final class Pause: Sendable {
    /// Whether it is stopped within a transaction. The server ends the transaction then, because others wait for its lock.
    let isWithin: Bool
    private let reached = Promise<Bool, Never>()
    private let goesOn = Promise<Void, Never>()
    private let unblocked = DispatchSemaphore(value: 0)

    init(isWithin: Bool) {
        self.isWithin = isWithin
    }

    /// Waits until the process is stopped, or its work has ended before.
    ///
    /// - Returns: Whether it is stopped.
    func isReached() async -> Bool { await reached.value() }

    /// Records that the work has ended.
    func miss() { reached.resolve(.success(false)) }

    /// Lets the process go on.
    func resume() {
        goesOn.resolve()
        unblocked.signal()
    }

    /// Stops here.
    func stop() async {
        reached.resolve(.success(true))
        await goesOn.value()
    }

    /// Writes, and stops before or within the transaction.
    func write<Value: Sendable>(
        _ work: @escaping @Sendable (any StoreTransaction) throws -> Value, to store: any Store,
        endingTransaction end: @escaping @Sendable () -> Void
    ) async throws -> Value {
        guard isWithin else {
            await stop()
            return try await store.write(work)
        }
        return try await store.write { transaction in
            let value = try work(transaction)
            // The work runs again if another caller's work fails.
            guard !self.reached.isResolved else { return value }
            end()
            self.reached.resolve(.success(true))
            self.unblocked.wait()
            return value
        }
    }
}
