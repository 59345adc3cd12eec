import Compression

/// Inflates and verifies the payloads of received frames. A connection has one for everything that it receives.
struct FrameDecoder {
    private let maxInflatedSize: Int
    private var checksum = RunningChecksum()
    private let inflater = FrameInflater()

    init(_ limits: BLIPLimits) {
        maxInflatedSize = limits.maxInflatedFrameSize
    }

    var holdsMemory: Bool {
        inflater.holdsMemory
    }

    /// Releases the output buffer, and the stream if possible.
    func releaseMemory() {
        inflater.releaseMemory()
    }

    /// Decodes a frame's content after the header to its plain payload.
    ///
    /// - Returns: Bytes that stay valid until the next call, and as long as `content`.
    /// - Throws: `badFrame`, `badChecksum`, `decompressionFailed`; `decompressionBomb` if the payload inflates to more than `room` bytes.
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
            throw BLIPError(.badChecksum, "a frame of message \(header.number) has a wrong checksum")
        }
        return plain
    }
}

/// The single inflate stream for everything that a connection receives. It allocates no memory until the first compressed frame.
final class FrameInflater {
    /// A larger output buffer is released after the frame that needed it.
    private static let keptOutput = 64 << 10

    private var stream: InflateStream?

    /// The bytes that the peer's stream may refer to, while there is no stream.
    private var window: [UInt8] = []
    private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit {
        output.deallocate()
    }

    /// Inflates a frame's payload.
    ///
    /// - Returns: The bytes, which stay valid until the next call.
    /// - Throws: `decompressionFailed`; `decompressionBomb` if the payload inflates to more than `limit` bytes.
    func inflate(_ payload: UnsafeRawBufferPointer, limit: Int) throws(BLIPError) -> UnsafeRawBufferPointer {
        // If a message fills its frames exactly, LiteCore ends it with an empty compressed frame without flushing its stream. Completing a flush
        // here would put the two streams out of step.
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

    /// Releases all memory until the next compressed frame, except the bytes that the peer's stream may refer to.
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
                throw BLIPError(.decompressionBomb, "a compressed frame inflates to more than the limit of \(limit) bytes")
            }
        } while count == output.count
        guard input.isEmpty else {
            throw BLIPError(.decompressionFailed, "a compressed frame has \(input.count) bytes after the end of its data")
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

    /// Ensures an output buffer of at least `size` bytes, and releases one that is larger than usual.
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
