extension BLIPConnection {
    /// Queues a request.
    ///
    /// - Parameter streamsReply: Whether the reply is received in parts (``BLIPEvent/replyPart(_:)``) rather than as a whole.
    /// - Returns: The request's number, which is also the reply's.
    /// - Throws: `propertiesTooLong` or `malformedProperties` if the properties cannot be sent. The connection stays usable.
    package func send(request: BLIPMessage, streamsReply: Bool = false) throws(BLIPError) -> UInt64 {
        try request.properties.validateForSending(limits)
        return outbound.send(request: request, streamsReply: streamsReply)
    }

    /// Queues a reply or an error reply to the peer's request with the reply's number. It is urgent if that request is.
    ///
    /// - Returns: Whether the reply is sent. It is not if the request wants no reply, has been answered, or has not been received completely.
    /// - Throws: `propertiesTooLong` or `malformedProperties` if the properties cannot be sent. The connection stays usable.
    @discardableResult
    package func send(reply: BLIPMessage) throws(BLIPError) -> Bool {
        try send(reply: reply, isFinished: true)
    }

    /// Begins a reply whose body is sent in chunks, so that a body of any size needs constant memory.
    ///
    /// Call ``append(_:toReply:)`` whenever ``repliesNeedingData`` contains the reply, then ``finishReply(_:)``. The protocol cannot abort a
    /// reply. If a body cannot be completed, either finish it, so that the peer detects a digest mismatch, or close the connection.
    ///
    /// - Returns: Whether the reply is sent, as in ``send(reply:)``.
    /// - Throws: The same errors as ``send(reply:)``.
    package func begin(reply: BLIPMessage) throws(BLIPError) -> Bool {
        try send(reply: reply, isFinished: false)
    }

    /// Appends to the body of a reply that has begun.
    ///
    /// - Returns: Whether there is such a reply.
    @discardableResult
    package func append(_ bytes: [UInt8], toReply number: UInt64) -> Bool {
        outbound.append(bytes, toReply: number)
    }

    /// Ends the body of a reply that has begun.
    ///
    /// - Returns: Whether there is such a reply.
    @discardableResult
    package func finishReply(_ number: UInt64) -> Bool {
        outbound.finishReply(number)
    }

    /// The numbers of unfinished replies with less than 64 KiB to send. A reply that the peer does not acknowledge keeps its queued bytes
    /// and so is not included.
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

    /// Appends the next frame to a buffer, which the caller can reuse.
    ///
    /// Acknowledgements are sent first, then messages in turn, one frame each, urgent ones before the others. A frame has at most 16,384
    /// bytes, which is half of Sync Gateway's limit.
    ///
    /// - Returns: The size of the frame; 0 if there is nothing to send at present.
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
            // Only a zlib allocation failure leads here. The frame is incomplete, so the stream cannot continue.
            failure = error
            buffer.removeSubrange(start...)
            return 0
        }
    }
}
