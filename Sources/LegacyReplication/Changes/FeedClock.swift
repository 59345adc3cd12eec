import Gateway
import HTTP
import NIOCore
import NIOPosix
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
        let alarm = FeedAlarm(following: commits)
        let timers = timers(for: alarm)
        defer { for timer in timers { timer.cancel() } }
        try await shutdown.during {
            try await feed(alarm)
        } onBegin: {
            alarm.raise(.end)
        }
    }

    /// Timers of an event loop: a task that sleeps would take some kilobytes for each feed.
    private func timers(for alarm: FeedAlarm) -> [RepeatedTask] {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        return [(heartbeat, FeedAlarm.Events.heartbeat), (timeout, .timeout)].compactMap { time, event in
            time.map { eventLoop.scheduleRepeatedTask(initialDelay: $0, delay: $0) { _ in alarm.raise(event) } }
        }
    }
}
