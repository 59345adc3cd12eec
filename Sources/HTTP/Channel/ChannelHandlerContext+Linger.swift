import NIOCore

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
