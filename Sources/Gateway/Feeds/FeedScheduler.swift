import Foundation
package import Storage

/// What a feed does between two waits.
public enum FeedWorkKind: String, CaseIterable, Sendable {
    /// The feed ends with what there is: it is a request like others.
    case request

    /// The feed was woken.
    case woken

    /// The feed was woken, and its rows go through a function. It waits for scripts, and holds up no other feed meanwhile.
    case filtered
}

/// The turns of a database's woken feeds. Logins take turns.
///
/// A commit wakes thousands of feeds. Few of them are read at a time, so that a request finds a thread, and enough of them that each
/// reader of the store has work.
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

    /// The durations of a turn's work, with the wait for the turn.
    fileprivate func latencies(of turn: FeedWorkKind) -> Latencies? { times.first { $0.0 == turn }?.1 }

    /// The durations of the work of each kind of turn, with the waits.
    var latencies: [FeedWorkKind: LatencyHistogram] { Dictionary(times.map { ($0.0, $0.1.current) }) { $1 } }
}

extension Database {
    /// The time until feeds had their rows: from a request to its first rows, and from a commit to the rows that it brings.
    package var feedTimes: [FeedWorkKind: LatencyHistogram] { feedScheduler.latencies }
}

extension Keyspace {
    /// Does a feed's work in a task of its own, which is cancelled with the feed's.
    ///
    /// A task keeps the memory of its deepest calls until it ends, and a feed's task waits for as long as the client likes. The work depends on
    /// no values of the feed's task, so they are not copied.
    ///
    /// - Throws: What the work throws, and `CancellationError`.
    @inline(never)
    public func take<Value: Sendable>(_ turn: FeedWorkKind, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
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
