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

/// The one inflate stream of everything that a connection receives. It takes no memory until the first compressed frame.
final class Inflater {
    /// Output memory above this is given back after the frame that needed it.
    private static let keptOutput = 64 << 10

    private var stream: InflateStream?

    /// What the peer's stream may refer to, while there is no stream.
    private var window: [UInt8] = []
    private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit {
        output.deallocate()
    }

    /// Inflates a frame's payload.
    ///
    /// - Returns: The bytes, which stay valid until the next call.
    /// - Throws: `decompressionFailed`; `decompressionBomb` if there are more than `limit` of them.
    func inflate(_ payload: UnsafeRawBufferPointer, limit: Int) throws(BLIPError) -> UnsafeRawBufferPointer {
        // LiteCore ends a message that fills its frames exactly with a compressed frame of no bytes at all, for which it has not
        // flushed its stream: completing a flush here would put the two streams out of step.
        guard !payload.isEmpty else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let stream = try preparedStream()
        reserve(min(max(payload.count * 4, 4 << 10), Self.keptOutput))
        var count = 0
        try feed(payload, to: stream, &count, limit: limit)
        let flush: (UInt8, UInt8, UInt8, UInt8) = (0x00, 0x00, 0xFF, 0xFF)
        try withUnsafeBytes(of: flush) { bytes throws(BLIPError) in
            try feed(bytes, to: stream, &count, limit: limit)
        }
        return UnsafeRawBufferPointer(rebasing: output[..<count])
    }

    var holdsMemory: Bool {
        !output.isEmpty
    }

    /// Gives back all memory until the next compressed frame but for the bytes that the peer's stream may refer to.
    func releaseMemory() {
        output.deallocate()
        output = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        guard let bytes = stream?.window() else { return }
        window = bytes
        stream = nil
    }

    private func feed(
        _ bytes: UnsafeRawBufferPointer, to stream: InflateStream, _ count: inout Int, limit: Int
    ) throws(BLIPError) {
        var input = bytes
        repeat {
            if count == output.count {
                grow(keeping: count)
            }
            do {
                count += try stream.decompress(&input, into: UnsafeMutableRawBufferPointer(rebasing: output[count...]))
            } catch {
                throw BLIPError(
                    .decompressionFailed, "a compressed frame does not continue the peer's deflate stream", cause: error.description)
            }
            guard !stream.isFinished else {
                throw BLIPError(.decompressionFailed, "a compressed frame ends the peer's deflate stream, which can't be continued")
            }
            guard count <= limit else {
                throw BLIPError(.decompressionBomb, "a compressed frame inflates to more than the \(limit) bytes that it may")
            }
        } while count == output.count
        guard input.isEmpty else {
            throw BLIPError(.decompressionFailed, "a compressed frame holds \(input.count) bytes too many")
        }
    }

    private func preparedStream() throws(BLIPError) -> InflateStream {
        if let stream {
            return stream
        }
        do {
            let new = try InflateStream(.none(bits: 15), window: window)
            stream = new
            window = []
            return new
        } catch {
            throw BLIPError(.decompressionFailed, "a decompressor could not be created", cause: error.description)
        }
    }

    /// Makes sure that there is output memory for `size` bytes, and not much more than is usual.
    private func reserve(_ size: Int) {
        guard output.count < size || output.count > Self.keptOutput else { return }
        output.deallocate()
        output = .allocate(byteCount: size, alignment: 1)
    }

    private func grow(keeping count: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(output.count * 2, 4 << 10), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: output[..<count]))
        output.deallocate()
        output = larger
    }
}
