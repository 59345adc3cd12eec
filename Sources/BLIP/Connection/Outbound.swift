/// The sending half of a connection: splits messages into frames, and schedules them.
struct Outbound {
    /// Identifies a partly sent message.
    private struct Key: Hashable {
        let number: UInt64
        let isReply: Bool
    }

    /// A streamed reply needs more of its body once it has fewer unsent bytes than this.
    private static let streamLowWater = 64 << 10

    private var encoder: FrameEncoder
    private var queue = OutgoingQueue()
    private(set) var newestRequest: UInt64 = 0

    /// Partly sent messages.
    private var begun: [Key: OutgoingMessage] = [:]

    /// Replies whose body the host provides in chunks.
    private var streams: [UInt64: OutgoingMessage] = [:]

    /// The unsent bytes of all messages, before compression.
    private(set) var queuedBytes = 0

    init(_ compression: BLIPCompression) {
        encoder = FrameEncoder(compression)
    }

    /// The replies whose bodies need more bytes.
    var repliesNeedingData: [UInt64] {
        streams.values.filter { $0.remaining < Self.streamLowWater }.map(\.number).sorted()
    }

    /// Whether all requests up to a number have been sent completely.
    func hasSentRequests(through number: UInt64) -> Bool {
        !begun.keys.contains { !$0.isReply && $0.number <= number } && !queue.contains { !$0.isReply && $0.number <= number }
    }

    /// Queues a request.
    ///
    /// - Returns: Its number.
    mutating func send(request: BLIPMessage, streamsReply: Bool) -> UInt64 {
        newestRequest += 1
        enqueue(
            OutgoingMessage(
                request, number: newestRequest, type: .request, isUrgent: request.isUrgent, streamsReply: streamsReply))
        return newestRequest
    }

    /// Queues a reply. Unless it is finished, the rest of its body follows.
    mutating func send(reply: BLIPMessage, isUrgent: Bool, isFinished: Bool) {
        let type: BLIPMessage.MessageType = reply.type == .error ? .error : .reply
        let message = OutgoingMessage(reply, number: reply.number, type: type, isUrgent: isUrgent, isFinished: isFinished)
        if !isFinished {
            streams[reply.number] = message
        }
        enqueue(message)
    }

    /// Appends to the body of a reply.
    ///
    /// - Returns: Whether there is such a reply.
    mutating func append(_ bytes: [UInt8], toReply number: UInt64) -> Bool {
        guard let message = streams[number] else { return false }
        message.append(bytes)
        queuedBytes += bytes.count
        resume(message)
        return true
    }

    /// Ends the body of a reply.
    ///
    /// - Returns: Whether there is such a reply.
    mutating func finishReply(_ number: UInt64) -> Bool {
        guard let message = streams.removeValue(forKey: number) else { return false }
        message.finish()
        resume(message)
        return true
    }

    /// Records an acknowledgement. One for an unknown message is ignored, because an acknowledgement may arrive late.
    mutating func recordAcknowledged(_ acknowledgement: Acknowledgement) {
        guard let message = begun[Key(number: acknowledgement.number, isReply: acknowledgement.isReply)] else { return }
        message.recordAcknowledged(acknowledgement.total)
        resume(message)
    }

    /// Appends the next frame.
    ///
    /// - Returns: The frame's message, and whether the frame is the message's last; `nil` if there is nothing to send at present.
    mutating func appendNextFrame(to frame: inout [UInt8]) throws(BLIPError) -> (message: OutgoingMessage, isLast: Bool)? {
        guard let message = queue.popFirst() else { return nil }
        let urgentWaits = queue.isNextUrgent && !message.isUrgent
        let isNew = message.isNew
        let before = message.remaining
        let isLast = try encoder.appendFrame(
            of: message, maxSize: urgentWaits ? FrameSize.whileUrgentWaits : FrameSize.normal, to: &frame)
        queuedBytes -= before - message.remaining
        if !isLast {
            if isNew {
                begun[Key(number: message.number, isReply: message.isReply)] = message
            }
            enqueue(message, isCounted: true)
        } else if !isNew {
            begun[Key(number: message.number, isReply: message.isReply)] = nil
        }
        return (message, isLast)
    }

    var holdsMemory: Bool {
        encoder.holdsMemory
    }

    /// Releases memory that only an active connection needs.
    mutating func releaseMemory() {
        encoder.releaseMemory()
        queue.releaseMemory()
        if begun.isEmpty { begun = [:] }
        if streams.isEmpty { streams = [:] }
    }

    private mutating func enqueue(_ message: OutgoingMessage, isCounted: Bool = false) {
        if !isCounted {
            queuedBytes += message.remaining
        }
        if message.canSend {
            message.state = .queued
            queue.insert(message)
        } else {
            message.state = .waiting
        }
    }

    private mutating func resume(_ message: OutgoingMessage) {
        if message.state == .waiting {
            enqueue(message, isCounted: true)
        }
    }
}
