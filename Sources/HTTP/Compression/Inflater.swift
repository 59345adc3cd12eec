import CZlib
public import NIOCore

/// One compressed stream, read bit by bit, with a limit on what may come out of it.
///
/// Not `Sendable`: one task at a time. zlib keeps a pointer to its state, which therefore lives at a fixed place in memory.
public final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let maximumSize: Int
    private var size = 0
    /// Whether the stream has ended.
    public private(set) var isFinished = false

    /// - Parameters:
    ///   - format: The wrapping.
    ///   - maximumSize: How many bytes may come out in all.
    /// - Throws: ``CompressionError`` when there is no memory.
    public init(_ format: CompressionFormat = .gzip, maximumSize: Int) throws {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = dualgauge_inflate_init(stream, format.windowBits)
        guard status == Z_OK else {
            stream.deallocate()
            throw CompressionError(.outOfMemory, reason: "zlib cannot begin a stream (\(status)).")
        }
        self.stream = stream
        self.maximumSize = maximumSize
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses bytes and adds what comes of them to `output`, at most about 1000 times as many.
    ///
    /// - Throws: ``CompressionError`` when they are damaged, go on after the stream's end, or hold too much.
    public func write(_ input: UnsafeRawBufferPointer, to output: inout ByteBuffer) throws {
        guard input.count > 0 else { return }
        guard !isFinished else { throw CompressionError(.corrupt, reason: "There are bytes after the end of the compressed stream.") }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = uInt(input.count)
        defer { stream.pointee.next_in = nil }
        var status = Z_OK
        repeat {
            let written = output.writeWithUnsafeMutableBytes(minimumWritableBytes: max(1024, min(input.count * 3, 64 * 1024))) { space in
                stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = uInt(space.count)
                status = inflate(stream, Z_NO_FLUSH)
                return space.count - Int(stream.pointee.avail_out)
            }
            size += written
            guard size <= maximumSize else {
                throw CompressionError(.tooLarge, reason: "The compressed data holds more than \(maximumSize) bytes.")
            }
        } while status == Z_OK && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            isFinished = true
            guard stream.pointee.avail_in == 0 else {
                throw CompressionError(.corrupt, reason: "There are bytes after the end of the compressed stream.")
            }
        default: throw CompressionError(.corrupt, reason: "The compressed data is damaged.")
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
