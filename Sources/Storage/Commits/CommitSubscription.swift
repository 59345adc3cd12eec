/// The commits of a store from the moment of the subscription on, merged for a follower that is slower than they come.
///
/// A subscription costs nothing while nobody waits on it. The sequence ends when the store is closed or the waiting task is
/// cancelled; after a cancellation its iterator can be waited on again, and has missed nothing.
public struct CommitSubscription: AsyncSequence, Sendable {
    public typealias Element = Commit

    private let hub: CommitHub
    private let poll: CommitPoll?
    private let scope: FeedScope?

    /// The number of the newest commit at the subscription.
    public let start: UInt64
    private let interest = FeedInterest()

    /// - Parameter poll: Notices other processes' commits; nil if there are none to notice.
    package init(hub: CommitHub, poll: CommitPoll? = nil, scope: FeedScope?) {
        self.hub = hub
        self.poll = poll
        self.scope = scope
        start = hub.number
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(commits: self, seen: start)
    }

    /// The number of the newest commit, for ``narrow(asOf:to:)`` and ``call(after:_:)``.
    public var mark: UInt64 { hub.number }

    /// Has `wake` called once, when there is a commit to read: at once if one has come since. For a follower who has no task to wait in.
    ///
    /// - Parameters:
    ///   - mark: the ``mark`` from before the feed was read the last time, or ``start``.
    ///   - wake: Told false if the store was closed. It has to be quick, as who commits calls it.
    /// - Returns: What takes the call back when it is let go.
    public func call(after mark: UInt64, _ wake: @escaping @Sendable (Bool) -> Void) -> CommitCall {
        CommitCall(hub: hub, poll: poll, scope: scope, interest: interest, since: mark, wake)
    }

    /// Says which changes the follower may see, so that others do not wake it while it waits. It counts until that access changes.
    ///
    /// - Parameters:
    ///   - mark: the ``mark`` from before what may be seen was looked up.
    ///   - grantees: the users and roles whose access it is; `nil` if that of anybody concerns the follower.
    ///   - covers: whether the documents of a channel may be seen; `nil` if all documents may. It is asked at each commit, so it has to be quick.
    public func narrow(asOf mark: UInt64, by grantees: Set<Grantee>? = nil, to covers: (@Sendable (ChannelPlace) -> Bool)?) {
        interest.narrow(asOf: mark, by: grantees, to: covers)
    }

    /// Waits for one commit after another.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let commits: CommitSubscription
        fileprivate var seen: UInt64

        /// All commits since the last call, as one; waits if there are none.
        ///
        /// - Returns: Nil if the store was closed or the task cancelled.
        public mutating func next() async -> Commit? {
            while true {
                if let news = commits.hub.news(since: seen, scope: commits.scope, by: commits.interest.grantees) {
                    seen = news.number
                    return news.commit
                }
                guard await commits.wait(since: seen) else { return nil }
            }
        }
    }

    private func wait(since seen: UInt64) async -> Bool {
        let ticket = hub.ticket()
        poll?.begin()
        defer { poll?.end() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                hub.call({ continuation.resume(returning: $0) }, ticket: ticket, since: seen, scope: scope, interest: interest)
                // A cancellation may have come before there was something to take back.
                if Task.isCancelled { hub.takeBack(ticket, scope: scope)?(false) }
            }
        } onCancel: {
            hub.takeBack(ticket, scope: scope)?(false)
        }
    }
}

/// A follower's wish to be called when there is a commit to read (``CommitSubscription/call(after:_:)``). It is taken back when this is let go.
public final class CommitCall: Sendable {
    private let hub: CommitHub
    private let poll: CommitPoll?
    private let scope: FeedScope?
    private let ticket: UInt64

    init(
        hub: CommitHub, poll: CommitPoll?, scope: FeedScope?, interest: FeedInterest, since seen: UInt64,
        _ wake: @escaping @Sendable (Bool) -> Void
    ) {
        self.hub = hub
        self.poll = poll
        self.scope = scope
        ticket = hub.ticket()
        poll?.begin()
        hub.call(wake, ticket: ticket, since: seen, scope: scope, interest: interest)
    }

    deinit {
        hub.takeBack(ticket, scope: scope)
        poll?.end()
    }
}
