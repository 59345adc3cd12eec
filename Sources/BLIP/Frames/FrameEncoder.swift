import Compression

/// Encodes frames. A connection has one for everything that it sends.
struct FrameEncoder {
    private let compression: BLIPCompression
    private var checksum = RunningChecksum()
    private var deflater: FrameDeflater?

    /// The plain payload of a frame to compress; a property so that its memory is reused.
    private var plain: [UInt8] = []

    init(_ compression: BLIPCompression) {
        self.compression = compression
    }

    /// Appends a message's next frame.
    ///
    /// - Parameter maxSize: The maximum size of the frame in bytes.
    /// - Returns: Whether it was the message's last frame.
    mutating func appendFrame(of message: OutgoingMessage, maxSize: Int, to frame: inout [UInt8]) throws(BLIPError) -> Bool {
        let room = maxSize - FrameVarint.size(of: message.number) - 1 - FrameSize.checksum
        var flags = message.flags
        if compression.level == 0 || message.remaining < minimumPayload {
            flags.remove(.compressed)
        }
        let isCompressed = flags.contains(.compressed)
        let count = min(isCompressed ? room - FrameSize.deflateOverhead : room, message.remaining)
        let isLast = message.isFinished && count == message.remaining
        if !isLast {
            flags.insert(.moreComing)
        }
        FrameHeader.append(message.number, FrameHeader.Kind(message.type), flags, to: &frame)
        let start = frame.count
        if isCompressed {
            try appendCompressed(message, count, to: &frame)
        } else {
            message.moveNext(count, appendingTo: &frame)
            frame.withUnsafeBytes { checksum.update(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        }
        withUnsafeBytes(of: checksum.value.bigEndian) { frame.append(contentsOf: $0) }
        message.recordSent(frame.count - start)
        return isLast
    }

    var holdsMemory: Bool {
        deflater != nil
    }

    /// Releases the compressor's memory. The next compressed frame begins with an empty dictionary, which is transparent to the peer.
    mutating func releaseMemory() {
        deflater = nil
        plain = []
    }

    private var minimumPayload: Int {
        holdsMemory ? compression.minimumPayload : compression.minimumBeginning
    }

    private mutating func preparedDeflater() throws(BLIPError) -> FrameDeflater {
        if let deflater {
            return deflater
        }
        let new = try FrameDeflater(compression)
        deflater = new
        return new
    }

    private mutating func appendCompressed(_ message: OutgoingMessage, _ count: Int, to frame: inout [UInt8]) throws(BLIPError) {
        let deflater = try preparedDeflater()
        plain.removeAll(keepingCapacity: true)
        message.moveNext(count, appendingTo: &plain)
        try plain.withUnsafeBufferPointer { bytes throws(BLIPError) in
            checksum.update(UnsafeRawBufferPointer(bytes))
            try deflater.deflate(UnsafeRawBufferPointer(bytes), appendingTo: &frame)
        }
    }
}

extension FrameHeader.Kind {
    /// The kind of a message's frames.
    init(_ type: BLIPMessage.MessageType) {
        switch type {
        case .request: self = .request
        case .reply: self = .reply
        case .error: self = .error
        }
    }
}

/// The single deflate stream for everything that a connection sends.
final class FrameDeflater {
    private let stream: DeflateStream
    private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Creates the stream.
    ///
    /// - Throws: `compressionFailed` if zlib cannot allocate memory.
    init(_ settings: BLIPCompression) throws(BLIPError) {
        do {
            let bits = settings.windowBits
            stream = try DeflateStream(.none(bits: bits), level: settings.level, memoryLevel: bits - 7)
        } catch {
            throw BLIPError(.compressionFailed, "a compressor could not be created", cause: error.description)
        }
    }

    deinit {
        output.deallocate()
    }

    /// Compresses a frame's nonempty payload, and appends the result without the final `00 00 FF FF`.
    ///
    /// - Throws: `compressionFailed`.
    func deflate(_ payload: UnsafeRawBufferPointer, appendingTo bytes: inout [UInt8]) throws(BLIPError) {
        let room = stream.room(for: payload.count)
        if output.count < room {
            output.deallocate()
            output = .allocate(byteCount: room, alignment: 1)
        }
        var input = payload
        let count = stream.compress(&input, into: output, flush: .sync)
        guard input.isEmpty, output[..<count].suffix(4).elementsEqual([0x00, 0x00, 0xFF, 0xFF]) else {
            throw BLIPError(.compressionFailed, "\(payload.count) bytes to send could not be compressed")
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: output[..<(count - 4)]))
    }
}
