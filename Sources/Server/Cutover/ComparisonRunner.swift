import BridgeConfiguration
import Coordination
import Cutover
import Documents
import Gateway
import Logging
import Migration
import ReplicationService

/// Compares a database with its old server, as a part of a step or in the background, and tells the progress.
final class ComparisonRunner: Sendable {
    struct Progress: Sendable {
        /// In milliseconds since 1970.
        let start: Int64

        /// `nil` before the first document.
        var latest: MigrationProgress?
    }

    private let meter: CutoverMeter
    private let logger: Logger
    private let task = BackgroundTask()
    private let state = Lock<Progress?>(nil)

    init(_ meter: CutoverMeter, logger: Logger) {
        self.meter = meter
        self.logger = logger
    }

    /// The progress of the present comparison; `nil` if there is none.
    var progress: Progress? { state.withLock { $0 } }

    /// Compares, and stores the outcome. Calls must not overlap.
    ///
    /// - Throws: `CancellationError`; errors of the store.
    func compare(at stage: CutoverStage, _ legacy: ReplicationDefinition, bodies: CutoverRequest.Bodies?) async throws {
        state.withLock { $0 = Progress(start: Timestamp.now) }
        defer { state.withLock { $0 = nil } }
        let found = try await meter.compare(at: stage, legacy, bodies: bodies) { progress in
            self.state.withLock { $0?.latest = progress }
        }
        try await CutoverJournal(store: meter.store).persist(found)
    }

    /// Compares in the background.
    ///
    /// - Returns: Whether the comparison has begun; false if another one is running in the background.
    func start(at stage: CutoverStage, _ legacy: ReplicationDefinition, bodies: CutoverRequest.Bodies?) -> Bool {
        // At once, so that the reply to the request shows it: a client that finds no comparison takes the last one for this one.
        let prepare = { self.state.withLock { $0 = Progress(start: Timestamp.now) } }
        return task.start(preparing: prepare) { [self] in
            do {
                try await compare(at: stage, legacy, bodies: bodies)
            } catch is CancellationError {
                logger.notice("the comparison of both servers was stopped")
            } catch {
                logger.error("both servers could not be compared", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Stops the comparison in the background, and returns when it has ended.
    func stop() async {
        await task.stop()
    }
}
