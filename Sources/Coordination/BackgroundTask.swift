/// Work in the background of an object that starts and stops it. One piece of work runs at a time.
///
/// The work goes on when the owner is released; the owner has to call ``stop()``.
package final class BackgroundTask: Sendable {
    private let task = Lock<Task<Void, Never>?>(nil)

    package init() {}

    /// Whether work is running.
    package var isRunning: Bool { task.withLock { $0 != nil } }

    /// Starts the work, unless earlier work is running. The task that calls this may end or be cancelled meanwhile.
    ///
    /// - Parameters:
    ///   - prepare: Called before the work begins, if it begins. It must be fast and must not use this object.
    ///   - work: The work; ends early when its task is cancelled.
    /// - Returns: Whether the work was started.
    @discardableResult
    package func start(preparing prepare: () -> Void = {}, _ work: @escaping @Sendable () async -> Void) -> Bool {
        task.withLock { task in
            guard task == nil else { return false }
            prepare()
            // Detached: the work must not inherit the task-local values of a request that starts it.
            task = Task.detached { [self] in
                await work()
                self.task.withLock { $0 = nil }
            }
            return true
        }
    }

    /// Waits until the running work has ended, also in a cancelled task.
    package func finished() async {
        await task.withLock { $0 }?.value
    }

    /// Cancels the running work and waits until it has ended.
    package func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }
}
