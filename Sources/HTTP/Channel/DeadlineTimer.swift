package import NIOCore

/// A coarse timer on an event loop. Deadlines are checked periodically rather than scheduled individually, so that setting and moving them
/// costs nothing per request or message.
package struct DeadlineTimer {
    private let task: RepeatedTask

    /// Calls `action` four times within the shortest of the given limits; nil if there are none.
    package init?(on eventLoop: any EventLoop, within limits: [TimeAmount?], _ action: @escaping () -> Void) {
        guard let shortest = limits.compactMap({ $0 }).min() else { return nil }
        let interval = TimeAmount.nanoseconds(max(shortest.nanoseconds / 4, 1_000_000))
        let action = NIOLoopBound(action, eventLoop: eventLoop)
        task = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in action.value() }
    }

    package func cancel() {
        task.cancel()
    }
}

extension ChannelHandlerContext {
    /// Closes the output side, then the connection, once the peer has closed its side or the time has passed.
    ///
    /// The caller must read and discard what the peer still sends: closing a connection with unread bytes resets it, and a reset can discard
    /// the last response before the peer reads it.
    package func linger(for time: TimeAmount) {
        close(mode: .output, promise: nil)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let timer = eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }
}
