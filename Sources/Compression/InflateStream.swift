import CZlib

/// One compressed stream, read incrementally. Not for concurrent use.
package final class InflateStream {
    private let stream: ZlibStream

    /// Whether the stream has ended.
    package private(set) var isFinished = false

    /// - Parameter window: The result of ``window()`` of the stream to continue, which must have the format `none`.
    /// - Throws: ``ZlibError`` if memory cannot be allocated.
    package init(_ wrapping: CompressionFormat, window: [UInt8] = []) throws(ZlibError) {
        stream = try ZlibStream(begin: { dualgauge_inflate_init($0, wrapping.windowBits) }, end: { inflateEnd($0) })
        guard !window.isEmpty else { return }
        let status = stream.withState { inflateSetDictionary($0, window, uInt(window.count)) }
        guard status == Z_OK else { throw stream.error(status) }
    }

    /// The last decompressed bytes: the only state that a stream without a container needs to continue after a flush.
    ///
    /// - Returns: `nil` if the stream is not at a byte boundary between two blocks.
    package func window() -> [UInt8]? {
        stream.withState { state in
            // 128 is set at the end of a block. The number of unused bits in the last byte, and 64 in the last block, are added to it (zlib.h).
            guard state.pointee.data_type == 128 else { return nil }
            var length = uInt(0)
            inflateGetDictionary(state, nil, &length)
            return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
                inflateGetDictionary(state, bytes.baseAddress, nil)
                count = Int(length)
            }
        }
    }

    /// Decompresses bytes from the start of `input`, and removes the consumed bytes from it. If the output is full, more may follow.
    ///
    /// - Returns: How many bytes were written to the start of `room`.
    /// - Throws: ``ZlibError`` if the data is damaged.
    package func decompress(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(ZlibError) -> Int {
        let (count, status) = stream.run(&input, into: room) { inflate($0, Z_SYNC_FLUSH) }
        switch status {
        // Z_BUF_ERROR only means that no progress was possible.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isFinished = true
        default: throw stream.error(status)
        }
        return count
    }
}
