package import Gateway
import Storage

/// Moves the documents of a store's default collection into the collections that the routes name, or puts them back.
///
/// Each step is a small transaction between those of other writers. The journal in the store lets a second run go on where
/// the first stopped, whatever stopped it; a finished run repeated finds nothing to do.
package struct InPlaceMigration: Sendable {
    private let database: Database

    /// Names the routes, so that a run is continued only with the same ones.
    private let fingerprint: String

    /// The most documents in one transaction.
    private let batch: Int

    /// Whether documents may give access in their new collections that they do not give already.
    private let allowsNewGrants: Bool

    package init(_ database: Database, batch: Int = 500, allowsNewGrants: Bool = false) {
        self.database = database
        self.batch = batch
        self.allowsNewGrants = allowsNewGrants
        fingerprint = database.routesFingerprint
    }

    /// Moves what the routes want.
    ///
    /// - Parameter progress: is told after each step.
    package func run(progress: @Sendable (MigrationProgress) -> Void) async throws -> MoveSummary {
        let total = try await database.defaultCollectionSize()
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: fingerprint), allowsNewGrants: allowsNewGrants)
        var summary = MoveSummary()
        var size = StepSize(maximum: batch)
        while let step = try await size.measure({ try await steps.next(limit: $0) }) {
            summary += step
            progress(MigrationProgress(done: summary.examined, total: total))
            try Task.checkCancellation()
        }
        return summary
    }

    /// Reads everything, writes nothing, and tells what a run would do.
    package func preview(progress: @Sendable (MigrationProgress) -> Void) async throws -> MoveSummary {
        let total = try await database.defaultCollectionSize()
        var cursor = DocumentKey(0)
        var summary = MoveSummary()
        while let step = try await database.previewStep(after: cursor, limit: batch, allowsNewGrants: allowsNewGrants) {
            cursor = step.cursor
            summary += step.summary
            progress(MigrationProgress(done: summary.examined, total: total))
            try Task.checkCancellation()
        }
        return summary
    }

    /// Puts back what the last run moved, with everything that was written to it since. A run that found nothing to move does not
    /// count: the one before it is meant.
    ///
    /// - Returns: what was put back; `nil` if there is no run to undo.
    package func revert(progress: @Sendable (MigrationProgress) -> Void) async throws -> RevertSummary? {
        for run in try await database.moveRuns().reversed() where run.state != .reverted {
            let summary = try await revert(run, progress: progress)
            // One that was interrupted at its very end is finished here, and it was the one that was meant.
            if summary.documents > 0 || run.state == .reverting { return summary }
        }
        return nil
    }

    /// Reads everything, writes nothing, and tells what ``revert(progress:)`` would do; `nil` if there is no run to undo.
    package func previewRevert(progress: @Sendable (MigrationProgress) -> Void) async throws -> RevertSummary? {
        for run in try await database.moveRuns().reversed() where run.state != .reverted {
            var cursor = DocumentKey(0)
            var summary = RevertSummary()
            while let step = try await database.previewRevert(of: run, after: cursor, limit: batch) {
                cursor = step.cursor
                summary += step.summary
                progress(MigrationProgress(done: summary.documents, total: nil))
                try Task.checkCancellation()
            }
            if summary.documents > 0 || run.state == .reverting { return summary }
        }
        return nil
    }

    /// Who sees other documents by these moves than before.
    package func sight(_ tally: AccessChangeTally) async throws -> AccessChangeReport {
        try await database.accessChangeReport(tally)
    }

    private func revert(_ run: MoveRun, progress: @Sendable (MigrationProgress) -> Void) async throws -> RevertSummary {
        var summary = RevertSummary()
        var steps = database.revertSteps(of: run)
        var size = StepSize(maximum: batch)
        while let step = try await size.measure({ try await steps.next(limit: $0) }) {
            summary += step
            progress(MigrationProgress(done: summary.documents, total: nil))
            try Task.checkCancellation()
        }
        return summary
    }
}
