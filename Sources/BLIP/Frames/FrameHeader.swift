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
