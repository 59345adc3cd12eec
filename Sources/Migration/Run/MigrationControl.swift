import Coordination

/// Pauses, resumes and stops a run on signals or admin requests. A run checks it between batches.
package final class MigrationControl: Sendable {
    private let gate = FlowGate()

    package init() {}

    package var isPaused: Bool { gate.isClosed }
    package var isStopped: Bool { gate.hasFailed }

    /// Pauses the run after its current batch.
    package func pause() {
        gate.close()
    }

    package func resume() {
        gate.open()
    }

    /// Ends the run after its current batch; a later run can resume it.
    package func stop() {
        gate.fail(CancellationError())
    }

    /// Waits while the run is paused.
    ///
    /// - Throws: `CancellationError` if the run is stopped or the task is cancelled.
    func proceed() async throws {
        try Task.checkCancellation()
        try await gate.pass()
    }
}
