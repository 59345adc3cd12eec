import HTTP
import NIOCore
import Storage

/// Runs a feed that waits for commits, with its heartbeat and its timeout.
struct FeedClock: Sendable {
    let heartbeat: TimeAmount?
    let timeout: TimeAmount?
    let shutdown: ShutdownSignal

    /// Runs `feed`, and raises the alarm for it until it returns.
    ///
    /// - Parameter commits: subscribed to before the feed was read for the first time, so that nothing falls between.
    func run(following commits: CommitSubscription, _ feed: (FeedAlarm) async throws -> Void) async throws {
        let alarm = FeedAlarm()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in commits { alarm.raise(.commit) }
                alarm.raise(.end)
            }
            if let heartbeat {
                group.addTask {
                    while true {
                        // The heartbeat is a clock by nature: nothing happens for which it could wait.
                        try await Task.sleep(for: Duration(heartbeat))
                        alarm.raise(.heartbeat)
                    }
                }
            }
            if let timeout {
                group.addTask {
                    // So is the time after which an idle feed ends.
                    try await Task.sleep(for: Duration(timeout))
                    alarm.raise(.timeout)
                }
            }
            defer { group.cancelAll() }
            try await shutdown.during {
                try await feed(alarm)
            } onBegin: {
                alarm.raise(.end)
            }
        }
    }
}
