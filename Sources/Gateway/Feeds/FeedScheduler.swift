import CoreMetrics
import Foundation
import Storage
import Telemetry

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

    /// The durations of each kind of work, including the wait for a permit.
    private let times: [FeedWorkKind: CoreMetrics.Timer]

    init(_ metrics: MetricsRegistry) {
        let kinds = FeedWorkKind.allCases.sorted { $0.rawValue < $1.rawValue }
        times = Dictionary(kinds.map { ($0, metrics.timer(.feedTime, [("turn", $0.rawValue)])) }) { first, _ in first }
    }

    private static let count = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)

    fileprivate func permits(for turn: FeedWorkKind) -> Permits? {
        switch turn {
        case .request: nil
        case .woken: woken
        case .filtered: filtered
        }
    }

    /// Records the time until a feed had its rows: from a request to its first rows, or from a commit to its rows.
    fileprivate func record(_ turn: FeedWorkKind, since start: ContinuousClock.Instant) {
        times[turn]?.add(since: start)
    }
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
        defer { database.feedScheduler.record(turn, since: start) }
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
