extension Inbound {
    /// Takes a frame of a reply or an error reply.
    ///
    /// - Returns: The reply if this was its last frame, or the part of it if it is taken in parts.
    mutating func receiveReply(
        _ type: BLIPMessage.MessageType, _ header: FrameHeader, _ content: UnsafeRawBufferPointer,
    ) throws(BLIPError) -> BLIPEvent? {
        guard let index = awaited.index(forKey: header.number), !awaited.values[index].isComplete else {
            throw BLIPError(.replyToNothing, "the peer replies to request \(header.number), which waits for no reply")
        }
        let isFirst = awaited.values[index].message == nil
        let isLast = !header.flags.contains(.moreComing)
        var message = awaited.values[index].message ?? IncomingMessage(header, type: type)
        // The only reference to its buffers must be the local one, or appending to them would copy them.
        awaited.values[index].message = nil
        guard message.isError == (type == .error) else {
            throw BLIPError(.badFrame, "the reply to request \(header.number) changes its type on the way")
        }
        if isFirst, !isLast {
            try checkOpenMessages()
            openReplies += 1
        } else if !isFirst, isLast {
            openReplies -= 1
        }
        let held = message.heldBytes
        let hadProperties = message.properties != nil
        try message.append(decoder.decode(content, header, room: message.room(limits)), wireCount: content.count, limits)

        if awaited.values[index].isDiscarded {
            release(held)
            return try discard(&message, at: index, isLast: isLast)
        }
        if awaited.values[index].isStreamed, !message.isError {
            return try takePart(of: &message, at: index, number: header.number, held: held, isFirst: !hadProperties, isLast: isLast)
        }
        guard !isLast else {
            release(held)
            awaited.remove(at: index)
            return .reply(try message.finish())
        }
        try hold(message.heldBytes - held)
        if let acknowledgement = message.acknowledgement(of: message.wireTotal) {
            acknowledge(acknowledgement)
        }
        awaited.values[index].message = message
        return nil
    }

    private mutating func takePart(
        of message: inout IncomingMessage, at index: Dictionary<UInt64, AwaitedReply>.Index, number: UInt64, held: Int,
        isFirst: Bool, isLast: Bool,
    ) throws(BLIPError) -> BLIPEvent? {
        guard let properties = message.properties else {
            guard !isLast else {
                _ = try message.finish()
                return nil
            }
            try hold(message.heldBytes - held)
            awaited.values[index].message = message
            return nil
        }
        let part = BLIPReplyPart(
            number: number, properties: properties, bytes: message.takeBody(), isFirst: isFirst, isLast: isLast,
            wireTotal: message.wireTotal)
        release(held)
        try hold(part.bytes.count)
        awaited.values[index].unconsumedBytes += part.bytes.count
        if !isLast {
            try hold(message.heldBytes)
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
        _ = message.takeBody()
        try hold(message.heldBytes)
        if let acknowledgement = message.acknowledgement(of: message.wireTotal) {
            acknowledge(acknowledgement)
        }
        awaited.values[index].message = message
        return nil
    }

    /// Notes that the host has taken a part's bytes, and acknowledges them to the peer when enough have come together.
    mutating func acknowledge(_ part: BLIPReplyPart) {
        guard let index = awaited.index(forKey: part.number), !awaited.values[index].isDiscarded else { return }
        let count = min(part.bytes.count, awaited.values[index].unconsumedBytes)
        awaited.values[index].unconsumedBytes -= count
        release(count)
        if awaited.values[index].isComplete {
            if awaited.values[index].unconsumedBytes == 0 {
                awaited.remove(at: index)
            }
        } else if let acknowledgement = awaited.values[index].message?.acknowledgement(of: part.wireTotal) {
            acknowledge(acknowledgement)
        }
    }

    /// Gives up a reply: what comes of it is dropped, and acknowledged so that it comes to an end.
    mutating func discardReply(_ number: UInt64) {
        guard let index = awaited.index(forKey: number) else { return }
        release(awaited.values[index].unconsumedBytes)
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

/// A request of ours whose reply has not come, or not come whole.
struct AwaitedReply {
    /// Whether the host takes the body in parts.
    let isStreamed: Bool

    /// Whether the host has lost interest.
    var isDiscarded = false

    /// What has come of the reply.
    var message: IncomingMessage?

    /// Bytes given to the host that it has not given back.
    var unconsumedBytes = 0

    /// Whether the reply has come whole, and only bytes to be given back keep this entry.
    var isComplete = false

    init(isStreamed: Bool) {
        self.isStreamed = isStreamed
    }
}
