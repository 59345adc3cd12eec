import CZlib

/// One compressed stream, read bit by bit. One task at a time.
public final class InflateStream {
    private let stream: ZlibStream

    /// Whether the stream has ended.
    public private(set) var isFinished = false

    /// - Throws: ``ZlibError`` when there is no memory.
    public init(_ wrapping: CompressionWrapping) throws(ZlibError) {
        stream = try ZlibStream(begin: { dualgauge_inflate_init($0, wrapping.windowBits) }, end: { inflateEnd($0) })
    }

    /// Decompresses from the start of `input`, which is cut off as far as it was taken. Where all room was filled there may be more to
    /// come.
    ///
    /// - Returns: How many bytes were written to the start of `room`.
    /// - Throws: ``ZlibError`` when the bytes are damaged.
    public func decompress(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(ZlibError) -> Int {
        let (count, status) = stream.run(&input, into: room) { inflate($0, Z_SYNC_FLUSH) }
        switch status {
        // Z_BUF_ERROR only says that there was nothing left to do.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isFinished = true
        default: throw stream.error(status)
        }
        return count
    }
}
