import Access
import Authentication
import Coordination
import Logging
import ReplicationService
import Storage

/// The logins of long-lived connections (feeds and WebSockets), which end with a password change or with the session.
///
/// Logins are checked against the store after each change of access, and periodically for sessions that another process has ended. No task
/// runs while no connection is open.
final class OpenLogins: Sendable {
    private struct Entry {
        weak var signal: StopSignal?

        /// The term of its session, as last read.
        var term: LoginProof.Term = .max
    }

    private struct State {
        var entries: [LoginProof: Entry] = [:]
        /// The number of entries above which entries of closed connections are removed.
        var tidying = 64
        var watch: Task<Void, Never>?
        var isClosed = false
    }

    private let store: any Store
    private let interval: Duration
    private let clock: AccessClock
    private let logger: Logger
    private let state = Lock(State())

    /// - Parameter interval: the pause between two checks for changes by other processes.
    init(store: any Store, interval: Duration = .seconds(15), clock: AccessClock = .system, logger: Logger) {
        self.store = store
        self.clock = clock
        self.interval = interval
        self.logger = logger
    }

    /// The signal that ends the connections of a login. The entry lasts as long as a connection holds the signal.
    func signal(for proof: LoginProof) -> StopSignal {
        state.withLock { state in
            if let signal = state.entries[proof]?.signal { return signal }
            let signal = StopSignal()
            state.entries[proof] = Entry(signal: signal)
            if state.entries.count > state.tidying { Self.tidy(&state) }
            if state.watch == nil, !state.isClosed { state.watch = Task { [weak self] in await Self.watch(self) } }
            return signal
        }
    }

    /// Ends the connections of logins that are no longer valid.
    ///
    /// - Parameter change: the accounts whose logins are checked.
    func check(after change: AccessChange = .everyone) async {
        let terms = state.withLock { state in
            if change == .everyone { Self.tidy(&state) }
            return state.entries.filter { change.concerns([.user($0.key.user)]) }.mapValues(\.term)
        }
        guard !terms.isEmpty else { return }
        do {
            let now = clock.now()
            let found = try await store.read { snapshot in
                try terms.map { proof, term in (proof, try proof.term(in: snapshot, since: term, now: now)) }
            }
            let ended = state.withLock { state in
                found.compactMap { proof, term -> StopSignal? in
                    guard let term else { return state.entries.removeValue(forKey: proof)?.signal }
                    state.entries[proof]?.term = term
                    return nil
                }
            }
            for signal in ended { signal.raise() }
        } catch {
            logger.error("open logins cannot be checked now; the check is repeated", metadata: ["error": "\(error)"])
        }
    }

    /// Stops checking.
    func close() async {
        let watch = state.withLock { state in
            state.isClosed = true
            return state.watch
        }
        watch?.cancel()
        await watch?.value
    }

    private static func tidy(_ state: inout State) {
        state.entries = state.entries.filter { $0.value.signal != nil }
        state.tidying = max(64, state.entries.count * 2)
    }

    /// Checks after each change of access and at each interval, until no connection is open.
    private static func watch(_ logins: OpenLogins?) async {
        guard let commits = logins?.store.commits(), let interval = logins?.interval else { return }
        // Covers changes from before the subscription.
        await logins?.check()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [weak logins] in
                var iterator = commits.makeAsyncIterator()
                while !Task.isCancelled {
                    // Other commits need not wake this task.
                    commits.narrow(asOf: commits.mark) { _ in false }
                    guard let commit = await iterator.next() else { return }
                    if commit.touchesAccess { await logins?.check(after: commit.access) }
                }
            }
            group.addTask { [weak logins] in
                repeat {
                    // Changes of sessions by other processes cause no commit here.
                    do { try await suspend(for: interval) } catch { return }
                    await logins?.check()
                } while logins?.finishIfIdle() == false
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Removes closed connections; returns whether none is open, so that the watch can end.
    private func finishIfIdle() -> Bool {
        state.withLock { state in
            Self.tidy(&state)
            guard state.entries.isEmpty else { return false }
            state.watch = nil
            return true
        }
    }
}
