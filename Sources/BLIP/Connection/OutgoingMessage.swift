/// A message that is being sent frame by frame. It is a class because the queue and acknowledgements refer to the same instance.
final class OutgoingMessage {
    /// The scheduling state.
    enum State {
        /// In the queue.
        case queued
        /// Not in the queue, until the peer acknowledges more of the message or the host provides more of the body.
        case waiting
    }

    let number: UInt64
    let type: BLIPMessage.MessageType
    let flags: FrameFlags

    /// Whether the host receives the reply in parts.
    let streamsReply: Bool

    private let properties: [UInt8]
    private var body: [UInt8]
    private var sentProperties = 0
    private var sentBody = 0

    /// Whether the body is complete.
    private(set) var isFinished: Bool

    /// Whether no frame of the message has been sent.
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

    /// The number of unsent bytes that are available.
    var remaining: Int {
        (isNew ? FrameVarint.size(of: UInt64(properties.count)) : 0) + properties.count - sentProperties + body.count - sentBody
    }

    /// Whether the message must wait for an acknowledgement.
    var isBlocked: Bool {
        sentOnWire - acknowledged >= FrameSize.maxUnacknowledged
    }

    /// Whether the message can provide a frame at present.
    ///
    /// Until its body is complete it provides only full frames and retains at least one byte, so that its last frame is never empty.
    var canSend: Bool {
        !isBlocked && (isFinished || remaining > FrameSize.normal)
    }

    /// Appends to the body.
    func append(_ bytes: [UInt8]) {
        if sentBody > 0 {
            body.removeSubrange(..<sentBody)
            sentBody = 0
        }
        body.append(contentsOf: bytes)
    }

    /// Ends the body.
    func finish() {
        isFinished = true
    }

    /// Moves the next bytes, at most `maxCount`, to `bytes`.
    func moveNext(_ maxCount: Int, appendingTo bytes: inout [UInt8]) {
        var count = min(maxCount, remaining)
        if isNew {
            isNew = false
            FrameVarint.append(UInt64(properties.count), to: &bytes)
            count -= FrameVarint.size(of: UInt64(properties.count))
        }
        let fromProperties = min(count, properties.count - sentProperties)
        bytes.append(contentsOf: properties[sentProperties..<(sentProperties + fromProperties)])
        sentProperties += fromProperties
        let fromBody = count - fromProperties
        bytes.append(contentsOf: body[sentBody..<(sentBody + fromBody)])
        sentBody += fromBody
    }

    /// Records a sent frame with this many bytes after its header.
    func recordSent(_ bytes: Int) {
        sentOnWire += UInt64(bytes)
    }

    /// Records the total that the peer has received. Impossible and outdated totals are ignored.
    func recordAcknowledged(_ total: UInt64) {
        if total <= sentOnWire {
            acknowledged = max(acknowledged, total)
        }
    }
}
