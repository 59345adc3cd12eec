import Access
import HTTP
import Logging
import ReplicationService
import Storage
import Synchronization

/// The logins of connections that last, feeds and WebSockets: they end with a new password and with the session.
///
/// The store is asked after each change of somebody's access, and now and then for sessions that another process has ended. Nothing runs while nothing
/// is open.
final class OpenLogins: Sendable {
    private struct Entry {
        weak var signal: ShutdownSignal?

        /// Of its session, as it was seen last.
        var term: LoginProof.Term = .max
    }

    private struct State {
        var entries: [LoginProof: Entry] = [:]
        /// Entries after which those whose connections are gone are thrown away.
        var tidying = 64
        var watch: Task<Void, Never>?
        var isClosed = false
    }

    private let store: any Store
    private let interval: Duration
    private let clock: AccessClock
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter interval: The pause between two looks for what other processes have ended.
    init(store: any Store, interval: Duration = .seconds(15), clock: AccessClock = .system, logger: Logger) {
        self.store = store
        self.clock = clock
        self.interval = interval
        self.logger = logger
    }

    /// What tells connections of a login to end. Whoever has it waits for it; it is forgotten when nobody has it.
    func signal(for proof: LoginProof) -> ShutdownSignal {
        state.withLock { state in
            if let signal = state.entries[proof]?.signal { return signal }
            let signal = ShutdownSignal()
            state.entries[proof] = Entry(signal: signal)
            if state.entries.count > state.tidying { Self.tidy(&state) }
            if state.watch == nil, !state.isClosed { state.watch = Task { [weak self] in await Self.watch(self) } }
            return signal
        }
    }

    /// Ends the connections of logins that are no more.
    ///
    /// - Parameter change: whose logins are looked at.
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
                found.compactMap { proof, term -> ShutdownSignal? in
                    guard let term else { return state.entries.removeValue(forKey: proof)?.signal }
                    state.entries[proof]?.term = term
                    return nil
                }
            }
            for signal in ended { signal.begin() }
        } catch {
            logger.error("open logins cannot be checked now; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    /// Ends the watch.
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

    /// Checks after each change of access, and each interval, until nothing is open.
    private static func watch(_ logins: OpenLogins?) async {
        guard let commits = logins?.store.commits(), let interval = logins?.interval else { return }
        // What changed before the subscription.
        await logins?.check()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [weak logins] in
                var iterator = commits.makeAsyncIterator()
                while !Task.isCancelled {
                    // Of other commits none has to wake it.
                    commits.narrow(asOf: commits.mark) { _ in false }
                    guard let commit = await iterator.next() else { return }
                    if commit.touchesAccess { await logins?.check(after: commit.access) }
                }
            }
            group.addTask { [weak logins] in
                repeat {
                    // The pace of looks for what other processes do to sessions, of which no commit tells.
                    do { try await Task.sleep(for: interval) } catch { return }
                    await logins?.check()
                } while logins?.rest() == false
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Whether nothing is open, so that the watch ends.
    private func rest() -> Bool {
        state.withLock { state in
            Self.tidy(&state)
            guard state.entries.isEmpty else { return false }
            state.watch = nil
            return true
        }
    }
}
