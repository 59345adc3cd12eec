import CZlib
public import NIOCore

/// One compressed stream, written bit by bit.
///
/// Not `Sendable`: one task at a time. zlib keeps a pointer to its state, which therefore lives at a fixed place in memory.
public final class Deflater {
    /// How much is held back after a write.
    public enum Flush: Sendable {
        /// As much as makes for good compression.
        case none
        /// Nothing: the reader can decompress all that was written (`Z_SYNC_FLUSH`, ends in 00 00 FF FF).
        case sync
        /// Nothing, and the stream ends.
        case finish
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameters:
    ///   - format: The wrapping.
    ///   - level: 1 (fast) to 9 (small).
    /// - Throws: ``CompressionError`` when there is no memory.
    public init(_ format: CompressionFormat = .gzip, level: Int = 6) throws {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = dualgauge_deflate_init(stream, Int32(max(1, min(9, level))), format.windowBits, 8)
        guard status == Z_OK else {
            stream.deallocate()
            throw CompressionError(.outOfMemory, reason: "zlib cannot begin a stream (\(status)).")
        }
        self.stream = stream
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses bytes and adds what comes of them to `output`.
    public func write(_ input: UnsafeRawBufferPointer, flush: Flush, to output: inout ByteBuffer) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = uInt(input.count)
        let mode =
            switch flush {
            case .none: Z_NO_FLUSH
            case .sync: Z_SYNC_FLUSH
            case .finish: Z_FINISH
            }
        var isFull = true
        while isFull {
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: max(512, min(input.count / 2, 64 * 1024))) { space in
                stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = uInt(space.count)
                deflate(stream, mode)
                isFull = stream.pointee.avail_out == 0
                return space.count - Int(stream.pointee.avail_out)
            }
        }
        stream.pointee.next_in = nil
    }

    /// Compresses bytes.
    public func write(_ input: ByteBuffer, flush: Flush) -> ByteBuffer {
        var output = ByteBuffer()
        input.withUnsafeReadableBytes { write($0, flush: flush, to: &output) }
        return output
    }

    /// Compresses bytes.
    public func write(_ input: [UInt8], flush: Flush) -> [UInt8] {
        var output = ByteBuffer()
        input.withUnsafeBytes { write($0, flush: flush, to: &output) }
        return Array(output.readableBytesView)
    }
}
