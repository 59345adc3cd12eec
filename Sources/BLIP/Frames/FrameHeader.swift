/// The header of a frame: its message number, type and flags.
struct FrameHeader {
    /// The kinds of frames, encoded in the lowest three bits of the flags. Unknown kinds must be ignored.
    enum Kind: UInt8 {
        case request = 0
        case reply = 1
        case error = 2
        case requestACK = 4
        case replyACK = 5
    }

    let number: UInt64
    let kind: Kind?
    let flags: FrameFlags

    /// The size of the header in bytes.
    let size: Int

    /// Parses the header of a frame.
    ///
    /// - Throws: `badFrame`.
    init(_ frame: UnsafeRawBufferPointer) throws(BLIPError) {
        guard let number = try FrameVarint.decode(frame),
            let flags = try FrameVarint.decode(UnsafeRawBufferPointer(rebasing: frame[number.count...]))
        else {
            throw BLIPError(.badFrame, "a frame of \(frame.count) bytes ends within its header")
        }
        let byte = UInt8(truncatingIfNeeded: flags.value)
        self.number = number.value
        self.kind = Kind(rawValue: byte & 0x07)
        self.flags = FrameFlags(rawValue: byte & ~0x07)
        self.size = number.count + flags.count
    }

    /// Appends the header of a frame.
    static func append(_ number: UInt64, _ kind: Kind, _ flags: FrameFlags, to bytes: inout [UInt8]) {
        FrameVarint.append(number, to: &bytes)
        bytes.append(kind.rawValue | flags.rawValue)
    }
}

/// The flags of a frame without its type, which is in the lowest three bits (docs/protocol/modern-2x.md#flags).
struct FrameFlags: OptionSet {
    let rawValue: UInt8

    /// The payload is deflated.
    static let compressed = FrameFlags(rawValue: 0x08)
    /// The message has priority over messages that are not urgent.
    static let urgent = FrameFlags(rawValue: 0x10)
    /// The request wants no reply.
    static let noReply = FrameFlags(rawValue: 0x20)
    /// More frames of the message follow.
    static let moreComing = FrameFlags(rawValue: 0x40)
}

/// The sizes that both implementations of the protocol use, in bytes (docs/protocol/modern-2x.md#frame-sizes,
/// docs/protocol/modern-2x.md#flow-control).
enum FrameSize {
    /// The maximum size of a sent frame, including header and checksum. Sync Gateway refuses more than 32,768.
    static let normal = 16_384

    /// The maximum size of a frame of a normal message while an urgent one is next in the queue.
    static let whileUrgentWaits = 4_096

    /// The size of a frame's CRC32.
    static let checksum = 4

    /// The maximum growth of incompressible data by deflate, for the content of one frame.
    static let deflateOverhead = 160

    /// The number of unacknowledged bytes at which a message pauses.
    static let maxUnacknowledged: UInt64 = 128_000

    /// The number of bytes after the last acknowledgement at which the next one is due.
    static let acknowledgementInterval: UInt64 = 50_000
}
