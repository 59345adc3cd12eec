/// A clock on which waits take no time, except waits for the next checkpoint, which end by cancellation.
struct SkippingClock: Clock {
    typealias Instant = ContinuousClock.Instant

    /// Both replicators' interval between checkpoints.
    private static let endless = Duration.seconds(5)

    var now: Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let wait = deadline - .now
        guard wait > .seconds(4.5), wait <= Self.endless else { return try Task.checkCancellation() }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }
}
