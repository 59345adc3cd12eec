import CZlib

/// The one deflate stream of everything that a connection sends.
///
/// An owner class, because zlib's state points back at its `z_stream`, which must stay where it is.
final class Deflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private var output: UnsafeMutableRawBufferPointer

    /// Creates the stream.
    ///
    /// - Throws: `compressionFailed` if zlib can't have the memory.
    init(_ settings: BLIPCompression) throws(BLIPError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(byteCount: 0, alignment: 1)
        let status = dualgauge_deflate_init(stream, settings.level, -settings.windowBits, settings.windowBits - 7)
        guard status == Z_OK else {
            throw BLIPError(.compressionFailed, "a compressor could not be created", cause: stream.zlibMessage(status))
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Compresses a frame's payload, which is not empty, and appends the result without the `00 00 FF FF` that ends it.
    ///
    /// - Throws: `compressionFailed`.
    func deflate(_ input: UnsafeRawBufferPointer, appendingTo bytes: inout [UInt8]) throws(BLIPError) {
        // deflateBound is for a stream of its own; 16 more make room for the flush, so that one call always does.
        let bound = Int(deflateBound(stream, UInt(input.count))) + 16
        if output.count < bound {
            output.deallocate()
            output = .allocate(byteCount: bound, alignment: 1)
        }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = CZlib.deflate(stream, Z_SYNC_FLUSH)
        let count = output.count - Int(stream.pointee.avail_out)
        let trailer = output[..<count].suffix(4)
        guard status == Z_OK, stream.pointee.avail_in == 0, trailer.elementsEqual([0x00, 0x00, 0xFF, 0xFF]) else {
            throw BLIPError(
                .compressionFailed, "\(input.count) bytes to send could not be compressed", cause: stream.zlibMessage(status))
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: output[..<(count - 4)]))
    }
}
