package import Compression
package import NIOCore

/// One gzip stream, compressed incrementally. Not for concurrent use.
package final class Deflater {
    private let stream: DeflateStream

    /// - Parameter level: 1 (fast) to 9 (small).
    /// - Throws: ``CompressionError`` if memory cannot be allocated.
    package init(level: Int = 6) throws {
        do {
            stream = try DeflateStream(.gzip, level: Int32(max(1, min(9, level))))
        } catch {
            throw CompressionError(.outOfMemory, reason: "zlib cannot begin a stream (\(error)).")
        }
    }

    /// Compresses bytes and appends the compressed data to `output`.
    package func write(_ input: UnsafeRawBufferPointer, flush: DeflateStream.Flush, to output: inout ByteBuffer) {
        var input = input
        var isFull = true
        while isFull {
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: max(512, min(input.count / 2, 64 * 1024))) { room in
                let count = stream.compress(&input, into: room, flush: flush)
                isFull = count == room.count
                return count
            }
        }
    }

    /// Compresses bytes.
    package func write(_ input: ByteBuffer, flush: DeflateStream.Flush) -> ByteBuffer {
        var output = ByteBuffer()
        input.withUnsafeReadableBytes { write($0, flush: flush, to: &output) }
        return output
    }

    /// Compresses bytes.
    package func write(_ input: [UInt8], flush: DeflateStream.Flush) -> [UInt8] {
        var output = ByteBuffer()
        input.withUnsafeBytes { write($0, flush: flush, to: &output) }
        return Array(output.readableBytesView)
    }
}
