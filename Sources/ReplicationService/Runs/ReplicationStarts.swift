import Coordination
import Supervision

/// Starts replications so that the supervisor can identify one that terminates the bridge.
///
/// - A replication may terminate the bridge some time after its start. So its start lasts until its first attempt has a result, or for half
///   a minute.
/// - Replications whose start was in progress when the last process terminated are started one after the other.
/// - A held-back replication may be started on request. If its start succeeds, the next process starts it again.
final class ReplicationStarts: Sendable {
    private static let timeout = Duration.seconds(30)

    private struct State {
        /// The last of the serialized starts.
        var last: Task<Void, Never>?
        /// The replications started at the opening of the database.
        var known: Set<StartPart> = []
    }

    private let supervisor: SupervisorConnection
    private let database: String
    private let state = Lock(State())

    init(_ supervisor: SupervisorConnection, database: String) {
        self.supervisor = supervisor
        self.database = database
    }

    /// Starts a replication of the database, unless it is held back.
    func start(_ run: ReplicationRun) async {
        let part = part(run.id)
        guard supervisor.isSupervised else { return await run.start() }
        // A second replication with this name has another definition.
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

    /// Starts a replication that an administrator starts or has changed, even if it is held back.
    func startOnRequest(_ run: ReplicationRun) async {
        await run.start()
        let part = part(run.id)
        if supervisor.isHeld(part) { Task { await end(part, run) } }
    }

    /// Releases the name of a removed replication.
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
            // A server that does not reply causes no event, so a timeout ends the start. The first result cancels it.
            try await suspend(for: Self.timeout)
            run.firstResult.resolve()
        }
        await run.firstResult.value()
        limit.cancel()
        supervisor.settle(part)
    }
}
