import Compression
package import NIOCore

/// One gzip stream, decompressed incrementally, with a limit on the output size. Not for concurrent use.
package final class Inflater {
    private let stream: InflateStream
    private let maximumSize: Int
    private var size = 0

    /// Whether the stream has ended.
    package var isFinished: Bool { stream.isFinished }

    /// - Parameter maximumSize: The maximum total size of the output in bytes.
    /// - Throws: ``CompressionError`` if memory cannot be allocated.
    package init(maximumSize: Int) throws {
        do {
            stream = try InflateStream(.gzip)
        } catch {
            throw CompressionError(.outOfMemory, reason: "zlib cannot begin a stream (\(error)).")
        }
        self.maximumSize = maximumSize
    }

    /// Decompresses bytes and appends the data to `output`, at most about 1000 times the input's size.
    ///
    /// - Throws: ``CompressionError`` if the data is damaged, continues after the end of the stream, or exceeds the limit.
    package func write(_ input: UnsafeRawBufferPointer, to output: inout ByteBuffer) throws {
        var input = input
        var isFull = false
        while !input.isEmpty || isFull, !isFinished {
            size += try output.writeWithUnsafeMutableBytes(minimumWritableBytes: max(1024, min(input.count * 3, 64 * 1024))) { room in
                let count = try decompress(&input, into: room)
                isFull = count == room.count
                return count
            }
            guard size <= maximumSize else {
                throw CompressionError(.tooLarge, reason: "The compressed data has more than \(maximumSize) bytes.")
            }
        }
        guard input.isEmpty else { throw CompressionError(.corrupt, reason: "There are bytes after the end of the compressed stream.") }
    }

    private func decompress(_ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) throws -> Int {
        do {
            return try stream.decompress(&input, into: room)
        } catch {
            throw CompressionError(.corrupt, reason: "The compressed data is damaged.")
        }
    }

    /// Decompresses bytes.
    ///
    /// - Throws: ``CompressionError`` if the data is damaged or exceeds the limit.
    package func write(_ input: ByteBuffer) throws -> ByteBuffer {
        var output = ByteBuffer()
        try input.withUnsafeReadableBytes { try write($0, to: &output) }
        return output
    }

    /// Ends the input.
    ///
    /// - Throws: ``CompressionError`` if the stream has not ended.
    package func finish() throws {
        guard isFinished else { throw CompressionError(.truncated, reason: "The compressed data is cut off.") }
    }
}

/// A failure to compress or decompress a stream.
package struct CompressionError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Hashable, Sendable {
        /// The data is malformed.
        case corrupt
        /// The stream is truncated.
        case truncated
        /// The stream's content exceeds the limit.
        case tooLarge
        /// Memory for another stream cannot be allocated.
        case outOfMemory
    }

    package let code: Code
    package let reason: String

    package init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { reason }
}
