package import Gateway
import Storage

/// Moves the documents of a store's default collection into the collections of the routes, or reverts such a move.
///
/// Each step is a small transaction, so that other writers can proceed between steps. The journal in the store lets a later run resume an
/// interrupted one. Repeating a finished run changes nothing.
package struct InPlaceMigration: Sendable {
    private let database: Database

    /// Identifies the routes; a run is resumed only with the same routes.
    private let fingerprint: String

    /// Largest number of documents in one transaction.
    private let batch: Int

    /// Whether documents may grant access in their new collections that they do not already grant.
    private let allowsNewGrants: Bool

    package init(_ database: Database, batch: Int = 500, allowsNewGrants: Bool = false) {
        self.database = database
        self.batch = batch
        self.allowsNewGrants = allowsNewGrants
        fingerprint = database.routesFingerprint
    }

    /// Moves the documents that routes match.
    ///
    /// - Parameter progress: Called after each step.
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

    /// Computes the result of ``run(progress:)`` by reading all documents, without writing.
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

    /// Reverts the last move, including later changes to the moved documents. Runs that moved nothing are skipped.
    ///
    /// - Returns: The reverted documents; `nil` if there is no run to revert.
    package func revert(progress: @Sendable (MigrationProgress) -> Void) async throws -> RevertSummary? {
        for run in try await database.moveRuns().reversed() where run.state != .reverted {
            let summary = try await revert(run, progress: progress)
            // An interrupted revert is completed here even if no documents remain; an earlier run must not be reverted as well.
            if summary.documents > 0 || run.state == .reverting { return summary }
        }
        return nil
    }

    /// Computes the result of ``revert(progress:)`` without writing; `nil` if there is no run to revert.
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

    /// Users whose read access these moves change.
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
