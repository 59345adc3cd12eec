import Compression
public import NIOCore

/// One gzip stream, read bit by bit, with a limit on what may come out of it. One task at a time.
public final class Inflater {
    private let stream: InflateStream
    private let maximumSize: Int
    private var size = 0

    /// Whether the stream has ended.
    public var isFinished: Bool { stream.isFinished }

    /// - Parameter maximumSize: How many bytes may come out in all.
    /// - Throws: ``CompressionError`` when there is no memory.
    public init(maximumSize: Int) throws {
        do {
            stream = try InflateStream(.gzip)
        } catch {
            throw CompressionError(.outOfMemory, reason: "zlib cannot begin a stream (\(error)).")
        }
        self.maximumSize = maximumSize
    }

    /// Decompresses bytes and adds what comes of them to `output`, at most about 1000 times as many.
    ///
    /// - Throws: ``CompressionError`` when they are damaged, go on after the stream's end, or hold too much.
    public func write(_ input: UnsafeRawBufferPointer, to output: inout ByteBuffer) throws {
        var input = input
        var isFull = false
        while !input.isEmpty || isFull, !isFinished {
            size += try output.writeWithUnsafeMutableBytes(minimumWritableBytes: max(1024, min(input.count * 3, 64 * 1024))) { room in
                let count = try decompress(&input, into: room)
                isFull = count == room.count
                return count
            }
            guard size <= maximumSize else {
                throw CompressionError(.tooLarge, reason: "The compressed data holds more than \(maximumSize) bytes.")
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
    /// - Throws: ``CompressionError`` when they are damaged or hold too much.
    public func write(_ input: ByteBuffer) throws -> ByteBuffer {
        var output = ByteBuffer()
        try input.withUnsafeReadableBytes { try write($0, to: &output) }
        return output
    }

    /// Notes that nothing more comes.
    ///
    /// - Throws: ``CompressionError`` when the stream has not ended.
    public func finish() throws {
        guard isFinished else { throw CompressionError(.truncated, reason: "The compressed data is cut off.") }
    }
}

/// A stream that cannot be compressed or decompressed.
public struct CompressionError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable {
        private enum Base {
            case corrupt, truncated, tooLarge, outOfMemory
        }

        private let base: Base

        /// The bytes are not what they should be.
        public static let corrupt = Self(base: .corrupt)
        /// The stream stops before its end.
        public static let truncated = Self(base: .truncated)
        /// The stream holds more than the limit.
        public static let tooLarge = Self(base: .tooLarge)
        /// There is no memory for another stream.
        public static let outOfMemory = Self(base: .outOfMemory)
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
