import CZlib

/// One compressed stream, read bit by bit. One task at a time.
package final class InflateStream {
    private let stream: ZlibStream

    /// Whether the stream has ended.
    package private(set) var isFinished = false

    /// - Parameter window: what ``window()`` gave of the stream that this one goes on with, which has to be wrapped in nothing.
    /// - Throws: ``ZlibError`` when there is no memory.
    package init(_ wrapping: CompressionFormat, window: [UInt8] = []) throws(ZlibError) {
        stream = try ZlibStream(begin: { dualgauge_inflate_init($0, wrapping.windowBits) }, end: { inflateEnd($0) })
        guard !window.isEmpty else { return }
        let status = stream.withState { inflateSetDictionary($0, window, uInt(window.count)) }
        guard status == Z_OK else { throw stream.error(status) }
    }

    /// The last bytes that came out, which is all that a stream wrapped in nothing needs to go on with what comes after a flush.
    ///
    /// - Returns: `nil` if the stream is not between two blocks, at a whole byte.
    package func window() -> [UInt8]? {
        stream.withState { state in
            // 128 stands for the end of a block; the bits of an unfinished byte, and 64 in the last block, are added to it (zlib.h).
            guard state.pointee.data_type == 128 else { return nil }
            var length = uInt(0)
            inflateGetDictionary(state, nil, &length)
            return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
                inflateGetDictionary(state, bytes.baseAddress, nil)
                count = Int(length)
            }
        }
    }

    /// Decompresses from the start of `input`, which is cut off as far as it was taken. Where all room was filled there may be more to
    /// come.
    ///
    /// - Returns: How many bytes were written to the start of `room`.
    /// - Throws: ``ZlibError`` when the bytes are damaged.
    package func decompress(
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
