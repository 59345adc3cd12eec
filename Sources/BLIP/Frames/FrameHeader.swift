/// The start of a frame: which message it belongs to, and how to read it.
struct FrameHeader {
    /// The kinds of frame, as the lowest three bits of the flags name them. Others are to be ignored.
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

    /// How many bytes it takes.
    let size: Int

    /// Reads the start of a frame.
    ///
    /// - Throws: `badFrame`.
    init(_ frame: UnsafeRawBufferPointer) throws(BLIPError) {
        guard let number = try Varint.decode(frame),
            let flags = try Varint.decode(UnsafeRawBufferPointer(rebasing: frame[number.count...]))
        else {
            throw BLIPError(.badFrame, "a frame of \(frame.count) bytes ends within its header")
        }
        let byte = UInt8(truncatingIfNeeded: flags.value)
        self.number = number.value
        self.kind = Kind(rawValue: byte & 0x07)
        self.flags = FrameFlags(rawValue: byte & ~0x07)
        self.size = number.count + flags.count
    }

    /// Appends the start of a frame.
    static func append(_ number: UInt64, _ kind: Kind, _ flags: FrameFlags, to bytes: inout [UInt8]) {
        Varint.append(number, to: &bytes)
        bytes.append(kind.rawValue | flags.rawValue)
    }
}

/// The flags of a frame but for its type, which is in the lowest three bits (docs/protocol/modern-2x.md#flags).
struct FrameFlags: OptionSet {
    let rawValue: UInt8

    /// The payload is deflated.
    static let compressed = FrameFlags(rawValue: 0x08)
    /// The message goes before those that are not urgent.
    static let urgent = FrameFlags(rawValue: 0x10)
    /// The request wants no reply.
    static let noReply = FrameFlags(rawValue: 0x20)
    /// The message goes on in another frame.
    static let moreComing = FrameFlags(rawValue: 0x40)
}

/// The sizes that the protocol's two implementations agree on (docs/protocol/modern-2x.md#frame-sizes, docs/protocol/modern-2x.md#flow-control).
/// All in bytes.
enum FrameSize {
    /// The largest frame that we send, header and checksum included. Sync Gateway refuses more than 32,768.
    static let normal = 16_384

    /// The largest while a message that waits next is urgent and this one is not.
    static let whileUrgentWaits = 4_096

    /// A frame's CRC32.
    static let checksum = 4

    /// What deflate may add to bytes that it can't compress, for one frame's worth.
    static let deflateOverhead = 160

    /// A message pauses once this many of its bytes are unacknowledged.
    static let maxUnacknowledged: UInt64 = 128_000

    /// An acknowledgement is due once this many bytes have come since the last one.
    static let acknowledgementInterval: UInt64 = 50_000
}
