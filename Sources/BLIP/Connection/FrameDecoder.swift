import Compression

/// Inflates and verifies the payloads of received frames. There is one for everything that a connection receives.
struct FrameDecoder {
    private let maxInflatedSize: Int
    private var checksum = RunningChecksum()
    private let inflater = Inflater()

    init(_ limits: BLIPLimits) {
        maxInflatedSize = limits.maxInflatedFrameSize
    }

    var holdsMemory: Bool {
        inflater.holdsMemory
    }

    /// Gives back the output's memory.
    func releaseMemory() {
        inflater.releaseMemory()
    }

    /// The plain payload of a frame, given what follows its header.
    ///
    /// - Returns: Bytes that stay valid until the next call, and as long as `content`.
    /// - Throws: `badFrame`, `badChecksum`, `decompressionFailed`; `decompressionBomb` if there are more than `room` bytes.
    mutating func decode(
        _ content: UnsafeRawBufferPointer, _ header: FrameHeader, room: Int,
    ) throws(BLIPError) -> UnsafeRawBufferPointer {
        let end = content.count - FrameSize.checksum
        guard end >= 0 else {
            throw BLIPError(.badFrame, "a frame of message \(header.number) ends before its checksum")
        }
        var plain = UnsafeRawBufferPointer(rebasing: content[..<end])
        if header.flags.contains(.compressed) {
            plain = try inflater.inflate(plain, limit: min(room, maxInflatedSize))
        }
        checksum.update(plain)
        guard UInt32(bigEndian: content.loadUnaligned(fromByteOffset: end, as: UInt32.self)) == checksum.value else {
            throw BLIPError(.badChecksum, "a frame of message \(header.number) does not have the checksum that it says")
        }
        return plain
    }
}
