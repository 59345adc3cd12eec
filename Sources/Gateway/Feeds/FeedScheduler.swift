import Foundation
package import Storage

/// The work of a feed between two waits.
package enum FeedWorkKind: String, CaseIterable, Sendable {
    /// The feed does not wait for changes: it is an ordinary request.
    case request

    /// A commit woke the feed.
    case woken

    /// A commit woke the feed, and a filter function evaluates its rows. The feed waits for scripts without blocking other feeds.
    case filtered
}

/// Limits how many woken feeds of a database run at a time, in turns by login.
///
/// A commit wakes thousands of feeds. The limit is low enough that a request finds a free thread, and high enough that each reader of the store has
/// work.
final class FeedScheduler: Sendable {
    private let woken = Permits(count: FeedScheduler.count)
    private let filtered = Permits(count: FeedScheduler.count)

    private let times = FeedWorkKind.allCases.map { ($0, Latencies()) }

    private static let count = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)

    fileprivate func permits(for turn: FeedWorkKind) -> Permits? {
        switch turn {
        case .request: nil
        case .woken: woken
        case .filtered: filtered
        }
    }

    /// The durations of one kind of work, including the wait for a permit.
    fileprivate func latencies(of turn: FeedWorkKind) -> Latencies? { times.first { $0.0 == turn }?.1 }

    /// The durations of each kind of work, including the waits.
    var latencies: [FeedWorkKind: LatencyHistogram] { Dictionary(times.map { ($0.0, $0.1.current) }) { $1 } }
}

extension Database {
    /// The time until feeds had their rows: from a request to its first rows, and from a commit to its rows.
    package var feedTimes: [FeedWorkKind: LatencyHistogram] { feedScheduler.latencies }
}

extension Keyspace {
    /// Runs a feed's work in a task of its own, which is cancelled with the feed's task.
    ///
    /// A task keeps the memory of its deepest calls until it ends, and a feed's task waits as long as the client stays connected. The work needs no
    /// task-local values of the feed's task, so they are not copied.
    ///
    /// - Throws: The work's errors, and `CancellationError`.
    @inline(never)
    package func take<Value: Sendable>(_ turn: FeedWorkKind, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let start = ContinuousClock.now
        defer { database.feedScheduler.latencies(of: turn)?.add(since: start) }
        guard let permits = database.feedScheduler.permits(for: turn) else { return try await Self.start(work) }
        guard let value = try await permits.run(as: share.client, { try await Self.start(work) }) else { throw CancellationError() }
        return value
    }

    @inline(never)
    private static func start<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task.detached(operation: work)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
