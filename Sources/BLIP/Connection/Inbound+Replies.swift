extension Inbound {
    /// Receives a frame of a reply or an error reply.
    ///
    /// - Returns: The reply if this was its last frame, or a part if the reply is streamed.
    mutating func receiveReply(
        _ type: BLIPMessage.MessageType, _ header: FrameHeader, _ content: UnsafeRawBufferPointer,
    ) throws(BLIPError) -> BLIPEvent? {
        guard let index = awaited.index(forKey: header.number), !awaited.values[index].isComplete else {
            throw BLIPError(.replyToNothing, "the peer replies to request \(header.number), which expects no reply")
        }
        let isFirst = awaited.values[index].message == nil
        let isLast = !header.flags.contains(.moreComing)
        var message = awaited.values[index].message ?? IncomingMessage(header, type: type)
        // Only the local variable may reference the message's buffers. Otherwise appending would copy them.
        awaited.values[index].message = nil
        guard message.isError == (type == .error) else {
            throw BLIPError(.badFrame, "the reply to request \(header.number) changes its type between frames")
        }
        if isFirst, !isLast {
            try checkOpenMessages()
            openReplies += 1
        } else if !isFirst, isLast {
            openReplies -= 1
        }
        let buffered = message.bufferedBytes
        let hadProperties = message.properties != nil
        try message.append(decoder.decode(content, header, room: message.room(limits)), wireCount: content.count, limits)

        if awaited.values[index].isDiscarded {
            removeBuffered(buffered)
            return try discard(&message, at: index, isLast: isLast)
        }
        if awaited.values[index].isStreamed, !message.isError {
            return try receivePart(
                of: &message, at: index, number: header.number, buffered: buffered, isFirst: !hadProperties, isLast: isLast)
        }
        guard !isLast else {
            removeBuffered(buffered)
            awaited.remove(at: index)
            return .reply(try message.finish())
        }
        try addBuffered(message.bufferedBytes - buffered)
        if let acknowledgement = message.acknowledgement(of: message.wireTotal) {
            acknowledge(acknowledgement)
        }
        awaited.values[index].message = message
        return nil
    }

    private mutating func receivePart(
        of message: inout IncomingMessage, at index: Dictionary<UInt64, AwaitedReply>.Index, number: UInt64, buffered: Int,
        isFirst: Bool, isLast: Bool,
    ) throws(BLIPError) -> BLIPEvent? {
        guard let properties = message.properties else {
            guard !isLast else {
                _ = try message.finish()
                return nil
            }
            try addBuffered(message.bufferedBytes - buffered)
            awaited.values[index].message = message
            return nil
        }
        let part = BLIPReplyPart(
            number: number, properties: properties, bytes: message.removeBody(), isFirst: isFirst, isLast: isLast,
            wireTotal: message.wireTotal)
        removeBuffered(buffered)
        try addBuffered(part.bytes.count)
        awaited.values[index].unconsumedBytes += part.bytes.count
        if !isLast {
            try addBuffered(message.bufferedBytes)
            awaited.values[index].message = message
        } else if awaited.values[index].unconsumedBytes > 0 {
            awaited.values[index].isComplete = true
        } else {
            awaited.remove(at: index)
        }
        return .replyPart(part)
    }

    private mutating func discard(
        _ message: inout IncomingMessage, at index: Dictionary<UInt64, AwaitedReply>.Index, isLast: Bool,
    ) throws(BLIPError) -> BLIPEvent? {
        guard !isLast else {
            awaited.remove(at: index)
            return nil
        }
        _ = message.removeBody()
        try addBuffered(message.bufferedBytes)
        if let acknowledgement = message.acknowledgement(of: message.wireTotal) {
            acknowledge(acknowledgement)
        }
        awaited.values[index].message = message
        return nil
    }

    /// Records that the host has consumed a part's bytes, and acknowledges them to the peer once enough have accumulated.
    mutating func acknowledge(_ part: BLIPReplyPart) {
        guard let index = awaited.index(forKey: part.number), !awaited.values[index].isDiscarded else { return }
        let count = min(part.bytes.count, awaited.values[index].unconsumedBytes)
        awaited.values[index].unconsumedBytes -= count
        removeBuffered(count)
        if awaited.values[index].isComplete {
            if awaited.values[index].unconsumedBytes == 0 {
                awaited.remove(at: index)
            }
        } else if let acknowledgement = awaited.values[index].message?.acknowledgement(of: part.wireTotal) {
            acknowledge(acknowledgement)
        }
    }

    /// Discards a reply. Its further frames are dropped, and acknowledged so that the peer can finish it.
    mutating func discardReply(_ number: UInt64) {
        guard let index = awaited.index(forKey: number) else { return }
        removeBuffered(awaited.values[index].unconsumedBytes)
        awaited.values[index].unconsumedBytes = 0
        guard !awaited.values[index].isComplete else {
            awaited.remove(at: index)
            return
        }
        awaited.values[index].isDiscarded = true
        let total = awaited.values[index].message?.wireTotal ?? 0
        if let acknowledgement = awaited.values[index].message?.acknowledgement(of: total) {
            acknowledge(acknowledgement)
        }
    }
}

/// A request of this side whose reply is not completely received.
struct AwaitedReply {
    /// Whether the host receives the body in parts.
    let isStreamed: Bool

    /// Whether the host has discarded the reply.
    var isDiscarded = false

    /// The received part of the reply.
    var message: IncomingMessage?

    /// Bytes that were passed to the host and not acknowledged by it.
    var unconsumedBytes = 0

    /// Whether the reply is complete, and the entry exists only until the host has acknowledged all bytes.
    var isComplete = false

    init(isStreamed: Bool) {
        self.isStreamed = isStreamed
    }
}
