/// A message that is being received frame by frame.
struct IncomingMessage {
    private let number: UInt64
    private let type: BLIPMessage.MessageType
    private let flags: FrameFlags

    /// The received bytes of the property length and the properties, until these are complete.
    private var head: [UInt8] = []

    /// The properties, once they are complete.
    private(set) var properties: BLIPProperties?

    /// The received body, or its bytes since the last ``removeBody()``.
    private var body: [UInt8] = []

    /// The size of its frames so far, as acknowledgements count them.
    private(set) var wireTotal: UInt64 = 0

    /// The total that was last acknowledged.
    private var acknowledged: UInt64 = 0

    /// Creates a message whose first frame has this header.
    init(_ header: FrameHeader, type: BLIPMessage.MessageType) {
        number = header.number
        self.type = type
        flags = header.flags
    }

    /// Whether the message is an error reply.
    var isError: Bool {
        type == .error
    }

    /// The number of buffered bytes.
    var bufferedBytes: Int {
        head.count + (properties?.encoded.count ?? 0) + body.count
    }

    /// The maximum number of plain bytes in the next frame.
    func room(_ limits: BLIPLimits) -> Int {
        let head = properties == nil ? limits.maxPropertiesSize + 5 - head.count : 0
        return max(0, limits.maxBodySize - body.count + head)
    }

    /// Appends the plain payload of the next frame, which had `wireCount` bytes on the wire, including the checksum.
    ///
    /// - Throws: `propertiesTooLong`, `malformedProperties`, `messageTooLarge`, `badFrame`.
    mutating func append(_ plain: UnsafeRawBufferPointer, wireCount: Int, _ limits: BLIPLimits) throws(BLIPError) {
        wireTotal += UInt64(wireCount)
        if properties != nil {
            body.append(contentsOf: plain)
        } else if head.isEmpty {
            if try !splitHead(plain, limits) {
                head.append(contentsOf: plain)
            }
        } else {
            head.append(contentsOf: plain)
            let soFar = head
            head = []
            let isComplete = try soFar.withUnsafeBufferPointer { bytes throws(BLIPError) in
                try splitHead(UnsafeRawBufferPointer(bytes), limits)
            }
            if !isComplete {
                head = soFar
            }
        }
        guard body.count <= limits.maxBodySize else {
            throw BLIPError(.messageTooLarge, "the body of message \(number) has more than \(limits.maxBodySize) bytes")
        }
    }

    /// Ends the message.
    ///
    /// - Throws: `malformedProperties` if the message ends before its properties do.
    consuming func finish() throws(BLIPError) -> BLIPMessage {
        guard let properties else {
            throw BLIPError(.malformedProperties, "message \(number) ends within its properties")
        }
        return BLIPMessage(
            type: type, number: number, properties: properties, body: body, isUrgent: flags.contains(.urgent),
            noReply: type == .request && flags.contains(.noReply), isCompressed: flags.contains(.compressed))
    }

    /// Removes and returns the received body.
    mutating func removeBody() -> [UInt8] {
        let taken = body
        body = []
        return taken
    }

    /// The acknowledgement to send once `total` bytes have been processed, if one is due.
    mutating func acknowledgement(of total: UInt64) -> Acknowledgement? {
        guard total >= acknowledged + FrameSize.acknowledgementInterval else { return nil }
        acknowledged = total
        return Acknowledgement(number: number, isReply: type != .request, total: total)
    }

    /// Splits the received bytes into properties and the start of the body; `false` if the properties are incomplete.
    private mutating func splitHead(_ bytes: UnsafeRawBufferPointer, _ limits: BLIPLimits) throws(BLIPError) -> Bool {
        guard let length = try FrameVarint.decode(bytes, maxBytes: 5) else { return false }
        guard length.value <= UInt64(limits.maxPropertiesSize) else {
            throw .propertiesTooLong(length.value, limit: limits.maxPropertiesSize)
        }
        let end = length.count + Int(length.value)
        guard end <= bytes.count else { return false }
        properties = try BLIPProperties(decoding: UnsafeRawBufferPointer(rebasing: bytes[length.count..<end]), limits: limits)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[end...]))
        return true
    }
}
