/// A message that is going out, frame by frame. A class, because the queue and acknowledgements refer to the same one.
final class OutgoingMessage {
    /// Why it is where it is.
    enum State {
        /// In the queue.
        case queued
        /// Out of the queue until more of it is acknowledged, or more of its body is given.
        case waiting
    }

    let number: UInt64
    let type: BLIPMessage.MessageType
    let flags: FrameFlags

    /// Whether the host takes the reply to it in parts.
    let streamsReply: Bool

    private let properties: [UInt8]
    private var body: [UInt8]
    private var sentProperties = 0
    private var sentBody = 0

    /// Whether its whole body is given.
    private(set) var isFinished: Bool

    /// Whether no frame of it has gone out.
    private(set) var isNew = true

    private var sentOnWire: UInt64 = 0
    private var acknowledged: UInt64 = 0

    var state = State.queued

    init(
        _ message: BLIPMessage, number: UInt64, type: BLIPMessage.MessageType, isUrgent: Bool, streamsReply: Bool = false,
        isFinished: Bool = true,
    ) {
        self.number = number
        self.type = type
        var flags: FrameFlags = isUrgent ? .urgent : []
        if type == .request, message.noReply {
            flags.insert(.noReply)
        }
        if message.isCompressed {
            flags.insert(.compressed)
        }
        self.flags = flags
        self.streamsReply = streamsReply
        properties = message.properties.encoded
        body = message.body
        self.isFinished = isFinished
    }

    var isReply: Bool {
        type != .request
    }

    var isUrgent: Bool {
        flags.contains(.urgent)
    }

    /// The bytes given that have not gone out.
    var remaining: Int {
        (isNew ? Varint.size(of: UInt64(properties.count)) : 0) + properties.count - sentProperties + body.count - sentBody
    }

    /// Whether it must wait for the peer to acknowledge more of it.
    var isBlocked: Bool {
        sentOnWire - acknowledged >= FrameSize.maxUnacknowledged
    }

    /// Whether it can give a frame now.
    ///
    /// Until its body is whole it gives full frames only and keeps at least a byte back, so that its last frame is never empty.
    var canSend: Bool {
        !isBlocked && (isFinished || remaining > FrameSize.normal)
    }

    /// Adds to its body.
    func append(_ bytes: [UInt8]) {
        if sentBody > 0 {
            body.removeSubrange(..<sentBody)
            sentBody = 0
        }
        body.append(contentsOf: bytes)
    }

    /// Ends its body.
    func finish() {
        isFinished = true
    }

    /// Moves its next bytes to `bytes`, at most `maxCount`.
    func takeNext(_ maxCount: Int, appendingTo bytes: inout [UInt8]) {
        var count = min(maxCount, remaining)
        if isNew {
            isNew = false
            Varint.append(UInt64(properties.count), to: &bytes)
            count -= Varint.size(of: UInt64(properties.count))
        }
        let fromProperties = min(count, properties.count - sentProperties)
        bytes.append(contentsOf: properties[sentProperties..<(sentProperties + fromProperties)])
        sentProperties += fromProperties
        let fromBody = count - fromProperties
        bytes.append(contentsOf: body[sentBody..<(sentBody + fromBody)])
        sentBody += fromBody
    }

    /// Notes that a frame has gone out with so many bytes after its header.
    func noteSent(_ bytes: Int) {
        sentOnWire += UInt64(bytes)
    }

    /// Notes what the peer has received. Totals that can't be true, or are old, are ignored.
    func noteAcknowledged(_ total: UInt64) {
        if total <= sentOnWire {
            acknowledged = max(acknowledged, total)
        }
    }
}
