import Compression

/// The one deflate stream of everything that a connection sends.
final class Deflater {
    private let stream: DeflateStream
    private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Creates the stream.
    ///
    /// - Throws: `compressionFailed` if zlib can't have the memory.
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

    /// Compresses a frame's payload, which is not empty, and appends the result without the `00 00 FF FF` that ends it.
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
