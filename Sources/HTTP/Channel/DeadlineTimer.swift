import NIOCore

/// A coarse clock on an event loop: deadlines are looked at now and then rather than armed one by one, so that setting and
/// moving them costs nothing per request or message.
struct DeadlineTimer {
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

extension ChannelHandlerContext {
    /// Closes our side, and the connection once the peer has closed its own or time is over. What the peer still sends is to be read
    /// and thrown away meanwhile: a connection closed with unread bytes is reset, which can take the last answer away from the peer.
    func linger(for time: TimeAmount) {
        close(mode: .output, promise: nil)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let timer = eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }
}
