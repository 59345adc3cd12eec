public import Storage
import Synchronization

/// What wakes an idle feed, gathered for its one reader. What comes several times before the reader looks counts once.
///
/// Commits call it, and so can a clock: while the feed waits, nothing but its own task is suspended, as a server has thousands of them.
public final class FeedWaiter: Sendable {
    /// Why a feed was woken.
    public struct Events: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Something was committed.
        public static let commit = Events(rawValue: 1)
        /// The client wants a sign of life.
        public static let heartbeat = Events(rawValue: 2)
        /// The feed has lived long enough.
        public static let timeout = Events(rawValue: 4)
        /// Nothing will be committed any more, or somebody wants the feed to end. It stays: a feed that reads a commit first meets it again.
        public static let end = Events(rawValue: 8)
    }

    private struct State {
        var events = Events()
        var reader: CheckedContinuation<Void, any Error>?

        /// The newest commit before the feed was read the last time.
        var seen: UInt64
        var call: CommitCall?
    }

    private let commits: CommitSubscription
    private let state: Mutex<State>

    /// - Parameter commits: subscribed to before the feed was read for the first time, so that nothing falls between.
    public init(following commits: CommitSubscription) {
        self.commits = commits
        state = Mutex(State(seen: commits.start))
    }

    /// Wakes the reader, or keeps the event for him.
    public func raise(_ event: Events) {
        let reader = state.withLock { state in
            state.events.insert(event)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Whether the feed is to end, for a feed that has much to send before it waits again.
    public var hasEnded: Bool { state.withLock { $0.events.contains(.end) } }

    /// Waits until something is raised, and takes it. After a commit, read the feed: this counts all commits until now as seen.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, which is when the client leaves.
    public func next() async throws -> Events {
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

    /// Asks to be called for the next commit, unless that was asked already.
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
                // A cancellation may have come before there was anybody to be found.
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
