import HummingbirdCore
import ReplicationService
import Synchronization

/// A use of a database. The store stays open until every lease is gone.
final class DatabaseLease: Sendable {
    let running: RunningDatabase

    /// Only the registry creates leases, while it holds its lock, so that the database cannot be removed meanwhile.
    init(_ running: RunningDatabase) {
        self.running = running
        running.uses.begin()
    }

    deinit { running.uses.end() }

    /// A response that keeps the lease until its body is written or dropped.
    func hold(_ response: Response) -> Response {
        let body = response.body
        let held = ResponseBody(contentLength: body.contentLength) { [self] writer in
            try await body.write(writer)
            withExtendedLifetime(self) {}
        }
        return Response(status: response.status, headers: response.headers, body: held)
    }
}

/// A count of uses, with a wait for the count to reach zero.
final class UseCount: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func begin() {
        state.withLock { $0.count += 1 }
    }

    func end() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the count is zero.
    func drained() async {
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if state.count > 0 { state.waiters.append(continuation) }
                return state.count == 0
            }
            if isDrained { continuation.resume() }
        }
    }
}
