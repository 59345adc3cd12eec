import Coordination
import Gateway
import Logging
import ReplicationService
import Storage

/// Moves a database's documents to the collections of its routes, or back, while the database is served.
///
/// The journal is in the store. A pause ends the work, and a resume continues after the last step. So does the next process, or the bridge that
/// takes the work over, unless the run was paused.
final class MoveRunner: Sendable {
    enum Activity: String, Sendable {
        case idle, running, paused, reverting, failed
    }

    struct Progress: Sendable {
        var activity = Activity.idle
        var run: MoveRun?
        var summary = MoveSummary()
        var reverted = RevertSummary()

        /// The size of the default collection at the start of the run.
        var total = 0
        var error: String?
    }

    /// The most documents in one transaction. Slow steps use fewer.
    private static let batch = 500

    /// Failures that end without a restart: a full disk, a server that is away.
    private static let passing: Set<StorageError.Code> = [.full, .readOnly, .busy, .inputOutput]

    /// The pause before the work goes on after a failure of the store.
    private static let pauseOfStore = Duration.seconds(1)

    private let database: Database
    private let logger: Logger
    private let state = Lock(Progress())
    private let task = BackgroundTask()

    init(_ database: Database, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    var progress: Progress { state.withLock { $0 } }

    /// Resumes the run of these routes or begins one, or reverts the last one.
    ///
    /// - Parameter allowsNewGrants: whether documents may grant access in their new collections that they do not grant already.
    /// - Returns: Whether the work has started; `false` if a run is in progress.
    func start(reverts: Bool, allowsNewGrants: Bool = false) -> Bool {
        let prepare = {
            self.change { progress in
                if progress.activity != .paused { progress = Progress() }
                progress.activity = reverts ? .reverting : .running
                progress.error = nil
            }
        }
        return task.start(preparing: prepare) { [self] in
            await carryOut(reverts: reverts) { reverts ? try await revert() : try await move(allowsNewGrants: allowsNewGrants) }
        }
    }

    /// Goes on with the run that the last process, or another bridge, has not ended.
    func resume() async throws {
        guard let order = try await database.moveOrder() else { return }
        let run = try await database.moveRuns().last { $0.key == order.run }
        guard let run, order.reverts ? run.state != .reverted : run.state == .running && run.routes == database.routesFingerprint else {
            logger.warning(
                "a migration does not continue, because the routes have changed; POST _migrations begins another one",
                metadata: ["run": "\(order.run)"])
            return try await database.withdrawMoveOrder()
        }
        logger.notice("a migration continues where it stopped", metadata: ["run": "\(order.run)", "reverts": "\(order.reverts)"])
        let prepare = { self.change { $0 = Progress(activity: order.reverts ? .reverting : .running, run: run) } }
        task.start(preparing: prepare) { [self] in
            await carryOut(reverts: order.reverts) {
                // A store that has failed meanwhile may have later steps of the run.
                let run = try await database.moveRuns().last { $0.key == order.run } ?? run
                if order.reverts {
                    _ = try await revert(run)
                } else {
                    try await move(run, allowsNewGrants: order.allowsNewGrants)
                }
            }
        }
    }

    /// Stops the work after its current step. The journal has the run as unfinished.
    func pause() async throws {
        await stop()
        try await database.withdrawMoveOrder()
        change { progress in
            if progress.run?.state == .running || progress.run?.state == .reverting { progress.activity = .paused }
        }
    }

    /// Ends the run. Moved documents stay moved.
    func cancel() async throws {
        await stop()
        try await database.withdrawMoveOrder()
        let run = state.withLock { progress in
            progress.activity = .idle
            defer { progress.run?.state = .done }
            return progress.run
        }
        if let run, run.state == .running { try await database.endMoves(run) }
    }

    /// Waits until the current work has finished.
    func finished() async {
        await task.finished()
    }

    /// Cancels the work and waits for its current step.
    func stop() async {
        await task.stop()
    }

    /// - Parameter work: Continues a run that it has begun before.
    private func carryOut(reverts: Bool, _ work: () async throws -> Void) async {
        do {
            try await repeatAfterFailuresOfStore(work)
            change {
                $0.activity = .idle
                $0.error = nil
            }
            logEnd(reverts: reverts)
        } catch is CancellationError {
            change { $0.activity = .paused }
        } catch {
            logger.error("documents could not be moved; POST _migrations continues the migration", metadata: ["error": "\(error)"])
            // The same error would follow, unless another process has the store.
            if (error as? StorageError)?.isOfStore != true { try? await database.withdrawMoveOrder() }
            change {
                $0.activity = .failed
                $0.error = "\(error)"
            }
        }
    }

    /// Repeats the work after each failure that ends.
    private func repeatAfterFailuresOfStore(_ work: () async throws -> Void) async throws {
        while true {
            do {
                return try await work()
            } catch let error as StorageError where Self.passing.contains(error.code) {
                let text = "\(error)"
                if progress.error != text {
                    logger.warning(
                        "no documents are moved while the store fails; the migration goes on by itself", metadata: ["error": "\(text)"])
                }
                change { $0.error = text }
                try await suspend(for: Self.pauseOfStore)
            }
        }
    }

    private func move(allowsNewGrants: Bool) async throws {
        try await move(try await database.orderMoves(allowsNewGrants: allowsNewGrants), allowsNewGrants: allowsNewGrants)
    }

    private func move(_ begun: MoveRun, allowsNewGrants: Bool) async throws {
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

    /// Reverts the last run that has moved something.
    private func revert() async throws {
        for run in try await database.moveRuns().reversed() where run.state != .reverted {
            try await database.orderRevert(of: run)
            if try await revert(run) { return }
        }
    }

    /// - Returns: Whether the run had moved something.
    private func revert(_ run: MoveRun) async throws -> Bool {
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
        return count > 0 || run.state == .reverting
    }

    private func logEnd(reverts: Bool) {
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
        state.withLock { work(&$0) }
    }
}
