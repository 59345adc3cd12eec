import CZlib

/// One compressed stream, written incrementally. Not for concurrent use.
package final class DeflateStream {
    /// How much compressed data a write may retain.
    package enum Flush: Sendable {
        /// As much as good compression requires.
        case none
        /// Nothing: the reader can decompress everything written so far (`Z_SYNC_FLUSH`, ends in 00 00 FF FF).
        case sync
        /// Nothing, and the stream ends.
        case finish

        fileprivate var mode: Int32 {
            switch self {
            case .none: Z_NO_FLUSH
            case .sync: Z_SYNC_FLUSH
            case .finish: Z_FINISH
            }
        }
    }

    private let stream: ZlibStream

    /// - Parameters:
    ///   - wrapping: The container format.
    ///   - level: 1 (fast) to 9 (small).
    ///   - memoryLevel: 1 to 9; the stream allocates `1 << (memoryLevel + 9)` bytes in addition to the window.
    /// - Throws: ``ZlibError`` if memory cannot be allocated.
    package init(_ wrapping: CompressionFormat, level: Int32, memoryLevel: Int32 = 8) throws(ZlibError) {
        stream = try ZlibStream(
            begin: { dualgauge_deflate_init($0, level, wrapping.windowBits, memoryLevel) }, end: { deflateEnd($0) })
    }

    /// An output size that suffices for one call of ``compress(_:into:flush:)`` with this many bytes, if all earlier bytes have been flushed.
    package func room(for count: Int) -> Int {
        // deflateBound applies to a complete stream; 16 more bytes suffice for a flush.
        stream.bound(count) + 16
    }

    /// Compresses bytes from the start of `input`, and removes the consumed bytes from it. If the output is full, more may follow.
    ///
    /// - Returns: How many bytes were written to the start of `room`.
    package func compress(_ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, flush: Flush) -> Int {
        // The status is not needed: deflate fails only if the stream is invalid.
        stream.run(&input, into: room) { deflate($0, flush.mode) }.count
    }
}
