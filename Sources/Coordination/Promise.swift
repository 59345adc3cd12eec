/// A value, or an error, that becomes available once. The first result counts.
///
/// Any number of tasks may wait. All of them resume with the result. The wait does not end when the waiting task is cancelled: the owner of the
/// promise resolves it in every case.
package final class Promise<Value: Sendable, Failure: Error>: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Value, Failure>, Never>

    private struct State {
        var result: Result<Value, Failure>?
        var waiters: [Waiter] = []
    }

    private let state = Lock(State())

    package init() {}

    /// Whether the value or the error is available.
    package var isResolved: Bool { state.withLock { $0.result != nil } }

    /// The value; waits until it is available.
    package func value() async throws(Failure) -> Value {
        let result = await withCheckedContinuation { (waiter: Waiter) in
            let result = state.withLock { state in
                if state.result == nil { state.waiters.append(waiter) }
                return state.result
            }
            if let result { waiter.resume(returning: result) }
        }
        return try result.get()
    }

    /// Resolves the promise; does nothing if it is resolved already.
    package func resolve(_ result: Result<Value, Failure>) {
        let waiters = state.withLock { state -> [Waiter] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }
}

extension Promise where Value == Void, Failure == Never {
    /// Resolves the promise; does nothing if it is resolved already.
    package func resolve() {
        resolve(.success(()))
    }
}
