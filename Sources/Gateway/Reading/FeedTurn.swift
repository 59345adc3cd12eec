import Foundation
import Storage

/// What an idle feed does when it is woken.
public enum FeedTurn {
    /// A commit wakes thousands of feeds. All at once they would be in front of each request for a second; so few of them run that a request
    /// finds a thread, and enough that each reader of the store has work.
    private static let permits = Permits(count: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

    /// Does it in a task of its own, which is cancelled with the feed's.
    ///
    /// A task keeps the memory of its deepest calls until it ends, and a feed's waits for as long as the client likes. Nothing in it
    /// depends on values of the feed's task, so they are not copied.
    ///
    /// - Parameter waitsForScripts: Whether it runs functions of administrators. Such a feed waits for its turn with these, and holds up no
    ///   other feed meanwhile.
    @inline(never)
    public static func run<Value: Sendable>(
        waitsForScripts: Bool = false, _ turn: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if waitsForScripts { return try await start(turn) }
        guard let value = try await permits.run({ try await start(turn) }) else { throw CancellationError() }
        return value
    }

    @inline(never)
    private static func start<Value: Sendable>(_ turn: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task.detached(operation: turn)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
