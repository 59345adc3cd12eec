import Gateway

/// How far a client has come with its pulls of a collection, as far as the answers to its pushes depend on it.
struct PullProgress {
    /// Whether the client has been here: there is a checkpoint of its.
    var hasCheckpoint = false

    /// Whether a pull has brought the client all that was here.
    private(set) var hasCaughtUp = false

    /// Whether the client was waited for to pull, and does not, or has broken off.
    private var isGivenUp = false

    /// The pull that has come to its end, or goes on from there, and the place that it has reached; `nil` as long as it is on its way.
    private(set) var reached: (request: SubChanges, position: FeedPosition)?

    /// Whether the client may have no version that was announced here.
    var isFirst: Bool { !hasCheckpoint && !hasCaughtUp }

    /// Whether what waits for the client to have all that is here goes on waiting.
    var isAwaited: Bool { !hasCaughtUp && !isGivenUp }

    /// A pull begins, or ends by the client's wish: of the one before nothing counts but that it has come to its end.
    mutating func leave() {
        reached = nil
    }

    /// A pull has read the feed to its end.
    mutating func reach(_ position: FeedPosition, with request: SubChanges) {
        reached = (request, position)
    }

    /// The client has been told that it has all.
    mutating func catchUp() {
        hasCaughtUp = true
    }

    /// The client does not pull, or no longer: nobody waits for it any more.
    mutating func giveUp() {
        isGivenUp = true
    }
}
