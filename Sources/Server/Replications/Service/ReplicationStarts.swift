import HTTP
import Supervision
import Synchronization

/// Starts replications so that the supervisor finds one that ends the bridge.
///
/// A replication may end the bridge a while after its start, when it meets what is wrong. So its start is over when its first attempt has come to
/// something, or after half a minute. Those that were under way when the last process was ended are started one after the other.
final class ReplicationStarts: Sendable {
    private static let patience = Duration.seconds(30)

    private struct State {
        /// The start of the last one of those that are started one after the other.
        var last: Task<Void, Never>?
        /// Those whose start was told: it is told once.
        var begun: Set<StartPart> = []
    }

    private let supervisor: SupervisorLine
    private let database: String
    private let state = Mutex(State())

    init(_ supervisor: SupervisorLine, database: String) {
        self.supervisor = supervisor
        self.database = database
    }

    func start(_ run: ReplicationRun) async {
        let part = StartPart(.replication, "\(database)/\(run.id)")
        let isFirst = state.withLock { $0.begun.insert(part).inserted }
        guard supervisor.isSupervised, isFirst else { return await run.start() }
        guard !supervisor.start.held.contains(part) else { return await run.hold() }
        guard supervisor.start.suspects.contains(part) else {
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

    private func begin(_ part: StartPart, _ run: ReplicationRun) async {
        supervisor.begin(part)
        #if DEBUG
            Trap.spring(at: part)
        #endif
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
