/// The commits of a store after the subscription. Commits merge for a follower that is slower than they come.
///
/// A subscription costs nothing while no task waits on it. The sequence ends when the store is closed or the waiting task is cancelled. After a
/// cancellation its iterator can be used again, without a missed commit.
package struct CommitSubscription: AsyncSequence, Sendable {
    package typealias Element = Commit

    private let hub: CommitHub
    private let poll: CommitPoll?
    private let scope: FeedScope?

    /// The number of the latest commit at the time of the subscription.
    package let start: UInt64
    private let interest = FeedInterest()

    /// - Parameter poll: Polls for other processes' commits; `nil` if there are no other processes.
    package init(hub: CommitHub, poll: CommitPoll? = nil, scope: FeedScope?) {
        self.hub = hub
        self.poll = poll
        self.scope = scope
        start = hub.number
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(commits: self, seen: start)
    }

    /// The number of the latest commit, for ``narrow(asOf:by:to:)`` and ``call(after:_:)``.
    package var mark: UInt64 { hub.number }

    /// Calls `wake` once when there is a commit to read: immediately if one came after `mark`. For followers without a waiting task.
    ///
    /// - Parameters:
    ///   - mark: The ``mark`` from before the last read of the feed, or ``start``.
    ///   - wake: Gets `false` if the store was closed. It must be fast, because the committing thread calls it.
    /// - Returns: The pending call. Releasing it cancels the call.
    package func call(after mark: UInt64, _ wake: @escaping @Sendable (Bool) -> Void) -> CommitCall {
        CommitCall(hub: hub, poll: poll, scope: scope, interest: interest, since: mark, wake)
    }

    /// Limits the commits that wake the waiting follower to the changes it may see. The limit holds until the access of `grantees` changes.
    ///
    /// - Parameters:
    ///   - mark: The ``mark`` from before the follower's access was read.
    ///   - grantees: The users and roles that define the access; `nil` if every access change concerns the follower.
    ///   - covers: Whether the follower may see the documents of a channel; `nil` if it may see all documents. Called at each commit, so it must be
    ///     fast.
    package func narrow(asOf mark: UInt64, by grantees: Set<Grantee>? = nil, to covers: (@Sendable (ChannelPlace) -> Bool)?) {
        interest.narrow(asOf: mark, by: grantees, to: covers)
    }

    /// Waits for commits.
    package struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let commits: CommitSubscription
        fileprivate var seen: UInt64

        /// All commits since the last call, merged. Waits if there are none.
        ///
        /// - Returns: `nil` if the store was closed or the task cancelled.
        package mutating func next() async -> Commit? {
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
                // The cancellation handler may have run before the call was registered.
                if Task.isCancelled { hub.cancel(ticket, scope: scope)?(false) }
            }
        } onCancel: {
            hub.cancel(ticket, scope: scope)?(false)
        }
    }
}

/// A pending call of ``CommitSubscription/call(after:_:)``. Releasing the object cancels the call.
package final class CommitCall: Sendable {
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
        hub.cancel(ticket, scope: scope)
        poll?.end()
    }
}
