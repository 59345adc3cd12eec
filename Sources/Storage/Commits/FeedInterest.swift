import Synchronization

/// What of a feed its follower may see, so that commits that change nothing of it need not wake him.
///
/// It holds until somebody's access changes: from then on every commit concerns him, until he has read the feed anew and said what he may
/// see now.
final class FeedInterest: Sendable {
    private struct State {
        /// `nil` for everything.
        var covers: (@Sendable (ChannelPlace) -> Bool)?

        /// The number of a commit before what he may see was looked up.
        var mark: UInt64 = 0
    }

    private let state = Mutex(State())

    func narrow(asOf mark: UInt64, to covers: (@Sendable (ChannelPlace) -> Bool)?) {
        state.withLock { $0 = State(covers: covers, mark: mark) }
    }

    /// - Parameter lastAccessTouch: the number of the last commit that changed somebody's access.
    func isConcerned(by commit: Commit, lastAccessTouch: UInt64) -> Bool {
        guard let channels = commit.channels else { return true }
        let (covers, mark) = state.withLock { ($0.covers, $0.mark) }
        guard let covers, mark >= lastAccessTouch else { return true }
        return channels.contains(where: covers)
    }
}
