/// The mask that a client lays over a frame's payload, RFC 6455 5.3.
struct WebSocketMask: Equatable {
    /// The four bytes, the first one lowest.
    private let little: UInt32

    /// - Parameter key: The mask as it stands in the frame, big-endian.
    init(_ key: UInt32) {
        little = key.byteSwapped
    }

    /// Lays the mask over bytes that begin at `position` of the payload, or takes it off.
    func apply(to bytes: UnsafeMutableRawBufferPointer, at position: Int) {
        guard little != 0 else { return }
        let turn = UInt32(position % 4 * 8)
        let turned = turn == 0 ? little : little >> turn | little << (32 - turn)
        let wide = UInt64(turned) << 32 | UInt64(turned)
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            bytes.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: turned >> UInt32(index % 4 * 8))
            index += 1
        }
    }
}
