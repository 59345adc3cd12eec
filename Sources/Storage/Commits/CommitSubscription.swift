/// The commits of a store from the moment of the subscription on, merged for a follower that is slower than they come.
///
/// A subscription costs nothing while nobody waits on it. The sequence ends when the store is closed or the waiting task is
/// cancelled; after a cancellation its iterator can be waited on again, and has missed nothing.
public struct CommitSubscription: AsyncSequence, Sendable {
    public typealias Element = Commit

    private let hub: CommitHub
    private let poll: CommitPoll?
    private let scope: FeedScope?
    private let start: UInt64
    private let interest = FeedInterest()

    /// - Parameter poll: Notices other processes' commits; nil if there are none to notice.
    init(hub: CommitHub, poll: CommitPoll? = nil, scope: FeedScope?) {
        self.hub = hub
        self.poll = poll
        self.scope = scope
        start = hub.number
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(hub: hub, poll: poll, scope: scope, interest: interest, seen: start)
    }

    /// The number of the newest commit, for ``narrow(asOf:to:)``.
    public var mark: UInt64 { hub.number }

    /// Says which changes the follower may see, so that others do not wake it while it waits. It counts until somebody's access changes.
    ///
    /// - Parameters:
    ///   - mark: the ``mark`` from before what may be seen was looked up.
    ///   - covers: whether the documents of a channel may be seen; `nil` if all documents may. It is asked at each commit, so it has to be quick.
    public func narrow(asOf mark: UInt64, to covers: (@Sendable (ChannelPlace) -> Bool)?) {
        interest.narrow(asOf: mark, to: covers)
    }

    /// Waits for one commit after another.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let hub: CommitHub
        fileprivate let poll: CommitPoll?
        fileprivate let scope: FeedScope?
        fileprivate let interest: FeedInterest
        fileprivate var seen: UInt64

        /// All commits since the last call, as one; waits if there are none.
        ///
        /// - Returns: Nil if the store was closed or the task cancelled.
        public mutating func next() async -> Commit? {
            while true {
                if let news = hub.news(since: seen, scope: scope) {
                    seen = news.number
                    return news.commit
                }
                guard await wait() else { return nil }
            }
        }

        private func wait() async -> Bool {
            guard let poll else { return await hub.wait(since: seen, scope: scope, interest: interest) }
            return await poll.during { await hub.wait(since: seen, scope: scope, interest: interest) }
        }
    }
}
