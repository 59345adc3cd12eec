public import Storage

/// A replication with one other side, of either generation.
public protocol Replication: Sendable {
    /// Starts it. Does nothing if it runs.
    ///
    /// - Parameter reset: Whether the checkpoints are forgotten, so that everything is compared anew.
    func start(reset: Bool) async

    /// Stops it: what has arrived is stored, and the checkpoints are saved. Reports tell when it has come to an end.
    func stop() async

    /// The state now and then all that happens, in order. Whoever listens too slowly misses old reports, never the last.
    func reports() async -> AsyncStream<ReplicationReport>

    /// Tries parked revisions of it again, and nothing else; what comes of them is on the list when it returns. It need not run, and its
    /// checkpoints do not move.
    ///
    /// - Throws: ``ReplicationFailure`` if the other side cannot be reached, or takes nothing.
    func tryAgain(_ parked: [ParkedRevision]) async throws

    /// How far it has come.
    func position() async -> ReplicationPosition
}

extension Replication {
    /// Waits until it is stopped.
    public func waitUntilStopped() async {
        for await case .state(let state) in await reports() where state.activity == .stopped { return }
    }
}
