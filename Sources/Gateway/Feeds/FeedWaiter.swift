import Coordination
package import Storage

/// Collects the events that wake an idle feed, for a single reader. Repeated events before the next read count once.
///
/// Commits and a clock raise events. While the feed waits, only its own task is suspended, because a server has thousands of feeds.
package final class FeedWaiter: Sendable {
    /// Why a feed was woken.
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A commit.
        package static let commit = Events(rawValue: 1)
        /// The client's heartbeat is due.
        package static let heartbeat = Events(rawValue: 2)
        /// The feed's timeout has passed.
        package static let timeout = Events(rawValue: 4)
        /// The store is closed, or the feed was requested to end. The event persists: a feed that processes a commit first receives it again.
        package static let end = Events(rawValue: 8)
    }

    private struct State {
        var events = Events()
        var reader: CheckedContinuation<Void, any Error>?

        /// The latest commit before the last read of the feed.
        var seen: UInt64
        var call: CommitCall?
    }

    private let commits: CommitSubscription
    private let state: Lock<State>

    /// - Parameter commits: a subscription from before the first read of the feed, so that no commit is missed.
    package init(following commits: CommitSubscription) {
        self.commits = commits
        state = Lock(State(seen: commits.start))
    }

    /// Wakes the reader, or stores the event until the next wait.
    package func raise(_ event: Events) {
        let reader = state.withLock { state in
            state.events.insert(event)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Whether the feed has to end, for a feed with many rows to send before its next wait.
    package var hasEnded: Bool { state.withLock { $0.events.contains(.end) } }

    /// Waits for events, and returns and clears them. After a commit event the caller has to read the feed: all commits so far count as seen.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, for example when the client disconnects.
    package func next() async throws -> Events {
        while true {
            if let taken = take() { return taken }
            follow()
            try await wait()
        }
    }

    private func take() -> Events? {
        state.withLock { state in
            guard !state.events.isEmpty else { return nil }
            if !state.events.isDisjoint(with: [.commit, .end]) {
                state.call = nil
                state.seen = commits.mark
            }
            defer { state.events.formIntersection(.end) }
            return state.events
        }
    }

    /// Registers for the next commit, unless already registered.
    private func follow() {
        let seen = state.withLock { $0.call == nil ? $0.seen : nil }
        guard let seen else { return }
        let call = commits.call(after: seen) { [weak self] in self?.raise($0 ? .commit : .end) }
        state.withLock { $0.call = call }
    }

    private func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAwaited = state.withLock { state in
                    guard state.events.isEmpty else { return false }
                    state.reader = continuation
                    return true
                }
                if !isAwaited { continuation.resume() }
                // The cancellation may have come before the continuation was stored.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        state.withLock { $0.reader.take() }?.resume(throwing: CancellationError())
    }
}
