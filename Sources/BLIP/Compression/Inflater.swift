import CZlib

/// The one inflate stream of everything that a connection receives. It takes no memory until the first compressed frame.
final class Inflater {
    /// Output memory above this is given back after the frame that needed it.
    private static let keptOutput = 64 << 10

    private let stream: UnsafeMutablePointer<z_stream>
    private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var isInitialized = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isInitialized {
            inflateEnd(stream)
        }
        stream.deallocate()
        output.deallocate()
    }

    /// Inflates a frame's payload.
    ///
    /// - Returns: The bytes, which stay valid until the next call.
    /// - Throws: `decompressionFailed`; `decompressionBomb` if there are more than `limit` of them.
    func inflate(_ payload: UnsafeRawBufferPointer, limit: Int) throws(BLIPError) -> UnsafeRawBufferPointer {
        // LiteCore ends a message that fills its frames exactly with a compressed frame of no bytes at all, for which it has not
        // flushed its stream: completing a flush here would put the two streams out of step.
        guard !payload.isEmpty else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        try initialize()
        reserve(min(max(payload.count * 4, 4 << 10), Self.keptOutput))
        var count = 0
        try feed(payload, &count, limit: limit)
        let flush: (UInt8, UInt8, UInt8, UInt8) = (0x00, 0x00, 0xFF, 0xFF)
        try withUnsafeBytes(of: flush) { bytes throws(BLIPError) in
            try feed(bytes, &count, limit: limit)
        }
        return UnsafeRawBufferPointer(rebasing: output[..<count])
    }

    var holdsMemory: Bool {
        !output.isEmpty
    }

    /// Gives back the output's memory until the next compressed frame. The window stays: the peer's stream refers to it.
    func releaseMemory() {
        output.deallocate()
        output = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    private func feed(_ input: UnsafeRawBufferPointer, _ count: inout Int, limit: Int) throws(BLIPError) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        repeat {
            if count == output.count {
                grow(keeping: count)
            }
            let room = UnsafeMutableRawBufferPointer(rebasing: output[count...])
            stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(room.count)
            let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
            count += room.count - Int(stream.pointee.avail_out)
            // Z_BUF_ERROR only says that there was nothing left to do; a stream that ends (Z_STREAM_END) can't be continued.
            guard status == Z_OK || status == Z_BUF_ERROR else {
                throw BLIPError(
                    .decompressionFailed, "a compressed frame does not continue the peer's deflate stream",
                    cause: stream.zlibMessage(status))
            }
            guard count <= limit else {
                throw BLIPError(.decompressionBomb, "a compressed frame inflates to more than the \(limit) bytes that it may")
            }
        } while stream.pointee.avail_out == 0
        guard stream.pointee.avail_in == 0 else {
            throw BLIPError(.decompressionFailed, "a compressed frame holds \(stream.pointee.avail_in) bytes too many")
        }
    }

    private func initialize() throws(BLIPError) {
        guard !isInitialized else { return }
        let status = dualgauge_inflate_init(stream, -MAX_WBITS)
        guard status == Z_OK else {
            throw BLIPError(.decompressionFailed, "a decompressor could not be created", cause: stream.zlibMessage(status))
        }
        isInitialized = true
    }

    /// Makes sure that there is output memory for `size` bytes, and not much more than is usual.
    private func reserve(_ size: Int) {
        guard output.count < size || output.count > Self.keptOutput else { return }
        output.deallocate()
        output = .allocate(byteCount: size, alignment: 1)
    }

    private func grow(keeping count: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(output.count * 2, 4 << 10), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: output[..<count]))
        output.deallocate()
        output = larger
    }
}
