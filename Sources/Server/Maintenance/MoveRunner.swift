import Gateway
import Logging
import ReplicationService
import Storage
import Synchronization

/// Moves a database's documents into the collections that its routes name, or puts them back, while it is being served.
///
/// The journal is in the store: a pause is an end, and whoever goes on begins behind the last step.
final class MoveRunner: Sendable {
    enum Activity: String, Sendable {
        case idle, running, paused, reverting, failed
    }

    struct Progress: Sendable {
        var activity = Activity.idle
        var run: MoveRun?
        var summary = MoveSummary()
        var reverted = RevertSummary()

        /// Documents that the default collection held when the run began.
        var total = 0
        var error: String?
    }

    private struct State {
        var progress = Progress()
        var task: Task<Void, Never>?
    }

    /// The most documents in one transaction; fewer where steps last.
    private static let batch = 500

    private let database: Database
    private let logger: Logger
    private let state = Mutex(State())

    init(_ database: Database, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    var progress: Progress { state.withLock { $0.progress } }

    /// Goes on with the run of these routes, or begins one; or puts back the last one.
    ///
    /// - Parameter allowsNewGrants: whether documents may give access in their new collections that they do not give already.
    /// - Returns: Whether it was begun: `false` if one is going on.
    func start(reverts: Bool, allowsNewGrants: Bool = false) -> Bool {
        state.withLock { state in
            guard state.task == nil else { return false }
            if state.progress.activity != .paused { state.progress = Progress() }
            state.progress.activity = reverts ? .reverting : .running
            state.progress.error = nil
            state.task = Task { [self] in
                await carryOut(reverts: reverts, allowsNewGrants: allowsNewGrants)
                self.state.withLock { $0.task = nil }
            }
            return true
        }
    }

    /// Ends the work here after its step; the journal says that it goes on.
    func pause() async {
        await rest()
        state.withLock { state in
            if state.progress.run?.state == .running || state.progress.run?.state == .reverting { state.progress.activity = .paused }
        }
    }

    /// Ends the run: what it has moved stays.
    func cancel() async throws {
        await rest()
        let run = state.withLock { state in
            state.progress.activity = .idle
            defer { state.progress.run?.state = .done }
            return state.progress.run
        }
        if let run, run.state == .running { try await database.endMoves(run) }
    }

    /// Waits until the work here has come to its end by itself.
    func finished() async {
        await state.withLock { $0.task }?.value
    }

    /// Ends the work here.
    func rest() async {
        let task = state.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    private func carryOut(reverts: Bool, allowsNewGrants: Bool) async {
        do {
            if reverts { try await revert() } else { try await move(allowsNewGrants: allowsNewGrants) }
            change { $0.activity = .idle }
            tellEnd(reverts: reverts)
        } catch is CancellationError {
            change { $0.activity = .paused }
        } catch {
            logger.error("documents could not be moved; POST _migrations goes on with it", metadata: ["error": "\(error)"])
            change {
                $0.activity = .failed
                $0.error = "\(error)"
            }
        }
    }

    private func move(allowsNewGrants: Bool) async throws {
        let begun = try await database.beginMoves(fingerprint: database.routesFingerprint)
        let total = try await database.defaultCollectionSize()
        change {
            $0.run = begun
            if $0.total == 0 { $0.total = total }
        }
        var steps = database.moveSteps(of: begun, allowsNewGrants: allowsNewGrants)
        var size = StepSize(maximum: Self.batch)
        while true {
            try Task.checkCancellation()
            guard let step = try await size.measure({ try await steps.next(limit: $0) }) else { break }
            let run = steps.run
            change {
                $0.run = run
                $0.summary += step
            }
        }
        change { $0.run?.state = .done }
    }

    private func revert() async throws {
        for run in try await database.moveRuns().reversed() where run.state != .reverted {
            change { $0.run = run }
            var count = 0
            var steps = database.revertSteps(of: run)
            var size = StepSize(maximum: Self.batch)
            while true {
                try Task.checkCancellation()
                guard let step = try await size.measure({ try await steps.next(limit: $0) }) else { break }
                count += step.documents
                change {
                    $0.run?.state = .reverting
                    $0.reverted += step
                }
            }
            change { $0.run?.state = .reverted }
            // One that found nothing to move is not what is meant.
            if count > 0 || run.state == .reverting { return }
        }
    }

    private func tellEnd(reverts: Bool) {
        let (summary, reverted) = (progress.summary, progress.reverted)
        guard !reverts else {
            return logger.info("documents have been put back into the default collection", metadata: ["documents": "\(reverted.documents)"])
        }
        logger.info(
            "a migration has finished",
            metadata: [
                "moved": "\(summary.moved.values.reduce(0) { $0 + $1.documents })", "unmatched": "\(summary.unmatched.documents)",
                "clashes": "\(summary.clashes.documents)", "refused": "\(summary.refused.documents)",
            ])
    }

    private func change(_ work: @Sendable (inout Progress) -> Void) {
        state.withLock { work(&$0.progress) }
    }
}
