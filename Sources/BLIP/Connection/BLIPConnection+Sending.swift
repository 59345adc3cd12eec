extension BLIPConnection {
    /// Queues a request.
    ///
    /// - Parameter streamsReply: Whether the reply comes in parts (``BLIPEvent/replyPart(_:)``) rather than whole.
    /// - Returns: Its number, which is also the reply's.
    /// - Throws: `propertiesTooLong` or `malformedProperties` if its properties can't be sent. The connection goes on.
    package func send(request: BLIPMessage, streamsReply: Bool = false) throws(BLIPError) -> UInt64 {
        try request.properties.validateForSending(limits)
        return outbound.send(request: request, streamsReply: streamsReply)
    }

    /// Queues a reply or an error reply to the request of the peer's with the reply's number. It is urgent if that request is.
    ///
    /// - Returns: Whether it goes out. It does not if the request wants no reply, has one, or never came whole.
    /// - Throws: `propertiesTooLong` or `malformedProperties` if its properties can't be sent. The connection goes on.
    @discardableResult
    package func send(reply: BLIPMessage) throws(BLIPError) -> Bool {
        try send(reply: reply, isFinished: true)
    }

    /// Begins a reply whose body follows in pieces: ``append(_:toReply:)`` as often as ``hungryReplies`` names it, then
    /// ``finishReply(_:)``. So a body of any size goes out at constant memory.
    ///
    /// A body that can't be continued has no way to say so: finish it, and let the peer find that its digest does not match, or close.
    ///
    /// - Returns: Whether it goes out, as in ``send(reply:)``.
    /// - Throws: As ``send(reply:)`` does.
    package func begin(reply: BLIPMessage) throws(BLIPError) -> Bool {
        try send(reply: reply, isFinished: false)
    }

    /// Adds to the body of a reply that was begun.
    ///
    /// - Returns: Whether there is such a reply.
    @discardableResult
    package func append(_ bytes: [UInt8], toReply number: UInt64) -> Bool {
        outbound.append(bytes, toReply: number)
    }

    /// Ends the body of a reply that was begun.
    ///
    /// - Returns: Whether there is such a reply.
    @discardableResult
    package func finishReply(_ number: UInt64) -> Bool {
        outbound.finishReply(number)
    }

    /// The numbers of replies that were begun, are not finished, and hold less than 64 KiB to send. A reply that the peer does not
    /// acknowledge stops being hungry.
    package var repliesNeedingData: [UInt64] {
        outbound.repliesNeedingData
    }

    private func send(reply: BLIPMessage, isFinished: Bool) throws(BLIPError) -> Bool {
        try reply.properties.validateForSending(limits)
        guard let isUrgent = inbound.removeUnanswered(reply.number) else { return false }
        outbound.send(reply: reply, isUrgent: isUrgent, isFinished: isFinished)
        return true
    }

    /// The next frame to send as one binary WebSocket message, or `nil` if there is none now.
    package func nextFrame() -> [UInt8]? {
        var frame: [UInt8] = []
        return appendNextFrame(to: &frame) > 0 ? frame : nil
    }

    /// Appends the next frame to a buffer, whose memory the host may use again and again.
    ///
    /// Acknowledgements go first, then messages in turn, a frame each, urgent ones before the others. A frame has at most 16,384 bytes,
    /// which is half of what Sync Gateway takes.
    ///
    /// - Returns: How many bytes the frame has; 0 if there is nothing to send now.
    package func appendNextFrame(to buffer: inout [UInt8]) -> Int {
        guard failure == nil else { return 0 }
        let start = buffer.count
        if let acknowledgement = inbound.nextAcknowledgement() {
            acknowledgement.append(to: &buffer)
            return buffer.count - start
        }
        do {
            guard let (message, isLast) = try outbound.appendNextFrame(to: &buffer) else { return 0 }
            if isLast, message.type == .request, !message.flags.contains(.noReply) {
                inbound.awaitReply(to: message.number, isStreamed: message.streamsReply)
            }
            return buffer.count - start
        } catch {
            // Only zlib without memory gets here. The stream is broken in the middle of a frame.
            failure = error
            buffer.removeSubrange(start...)
            return 0
        }
    }
}
