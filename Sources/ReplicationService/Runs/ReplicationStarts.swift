import HTTP
import Supervision
import Synchronization

/// Starts replications so that the supervisor finds one that ends the bridge.
///
/// A replication may end the bridge a while after its start, when it meets what is wrong. So its start is over when its first attempt has come to
/// something, or after half a minute. Those that were under way when the last process was ended are started one after the other. A replication
/// that is held back may be started on request; the next process starts it again if that comes to something.
final class ReplicationStarts: Sendable {
    private static let patience = Duration.seconds(30)

    private struct State {
        /// The start of the last one of those that are started one after the other.
        var last: Task<Void, Never>?
        /// Those that came with the start of the database.
        var known: Set<StartPart> = []
    }

    private let supervisor: SupervisorConnection
    private let database: String
    private let state = Mutex(State())

    init(_ supervisor: SupervisorConnection, database: String) {
        self.supervisor = supervisor
        self.database = database
    }

    /// Starts one that the database has, unless it is held back.
    func start(_ run: ReplicationRun) async {
        let part = part(run.id)
        guard supervisor.isSupervised else { return await run.start() }
        // The second one of this name has another definition.
        guard state.withLock({ $0.known.insert(part).inserted }) else { return await startOnRequest(run) }
        guard !supervisor.isHeld(part) else { return await run.hold() }
        guard supervisor.isSuspect(part) else {
            await begin(part, run)
            Task { await end(part, run) }
            return
        }
        await run.wait()
        state.withLock { state in
            let before = state.last
            state.last = Task {
                await before?.value
                guard await run.isWaiting else { return }
                await begin(part, run)
                await end(part, run)
            }
        }
    }

    /// Starts one that an administrator wants to run, or that was changed, also if it is held back.
    func startOnRequest(_ run: ReplicationRun) async {
        await run.start()
        let part = part(run.id)
        if supervisor.isHeld(part) { Task { await end(part, run) } }
    }

    /// One of this name is no more.
    func forget(_ id: String) {
        supervisor.release(part(id))
    }

    private func part(_ id: String) -> StartPart { StartPart(.replication, "\(database)/\(id)") }

    private func begin(_ part: StartPart, _ run: ReplicationRun) async {
        supervisor.begin(part)
        await run.start()
    }

    private func end(_ part: StartPart, _ run: ReplicationRun) async {
        let limit = Task {
            try await Task.sleep(for: Self.patience)
            run.settled.resolve(.success(()))
        }
        try? await run.settled.value()
        limit.cancel()
        supervisor.settle(part)
    }
}
