/// Keeps a feed from being asked without end by a server that always answers at once, and never with anything new: one whose feed goes
/// back in time, or whose long poll is none.
struct FeedPace: Sendable, Hashable {
    /// Our own pushes come back as rows that bring nothing; so many in a row do not.
    private static let patience = 8

    private var fruitless = 0
    private var backoff = ReplicationBackoff()

    /// How long to wait before the next request.
    ///
    /// - Parameters:
    ///   - isNew: Whether the last answer brought a revision that was not here.
    ///   - waited: How long the server took to answer. One that waited for changes is not asked too often.
    mutating func delay(isNew: Bool, waited: Duration) -> Duration {
        guard !isNew, waited < .seconds(1) else {
            self = FeedPace()
            return .zero
        }
        fruitless += 1
        return fruitless > Self.patience ? backoff.delay() : .zero
    }
}
