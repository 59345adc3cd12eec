import CZlib

/// One compressed stream, written bit by bit. One task at a time.
package final class DeflateStream {
    /// How much is held back after a write.
    package enum Flush: Sendable {
        /// As much as makes for good compression.
        case none
        /// Nothing: the reader can decompress all that was written (`Z_SYNC_FLUSH`, ends in 00 00 FF FF).
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
    ///   - wrapping: What the bytes are wrapped in.
    ///   - level: 1 (fast) to 9 (small).
    ///   - memoryLevel: 1 to 9; `1 << (memoryLevel + 9)` bytes are taken beside the window.
    /// - Throws: ``ZlibError`` when there is no memory.
    package init(_ wrapping: CompressionFormat, level: Int32, memoryLevel: Int32 = 8) throws(ZlibError) {
        stream = try ZlibStream(
            begin: { dualgauge_deflate_init($0, level, wrapping.windowBits, memoryLevel) }, end: { deflateEnd($0) })
    }

    /// Room that one call of ``compress(_:into:flush:)`` surely does with, for this many bytes of which all before have been flushed.
    package func room(for count: Int) -> Int {
        // deflateBound is for a stream of its own; 16 more are enough for a flush.
        stream.bound(count) + 16
    }

    /// Compresses from the start of `input`, which is cut off as far as it was taken. Where all room was filled there may be more to come.
    ///
    /// - Returns: How many bytes were written to the start of `room`.
    package func compress(_ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, flush: Flush) -> Int {
        // A status tells nothing more: deflate fails only where its stream is no stream.
        stream.run(&input, into: room) { deflate($0, flush.mode) }.count
    }
}
