import NIOCore

/// A coarse clock on an event loop: deadlines are looked at now and then rather than armed one by one, so that setting and
/// moving them costs nothing per request or message.
struct RepeatingTick {
    private let task: RepeatedTask

    /// Calls `action` four times within the shortest of the given limits; nil when there are none.
    init?(on eventLoop: any EventLoop, within limits: [TimeAmount?], _ action: @escaping () -> Void) {
        guard let shortest = limits.compactMap({ $0 }).min() else { return nil }
        let interval = TimeAmount.nanoseconds(max(shortest.nanoseconds / 4, 1_000_000))
        let action = NIOLoopBound(action, eventLoop: eventLoop)
        task = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in action.value() }
    }

    func cancel() {
        task.cancel()
    }
}
