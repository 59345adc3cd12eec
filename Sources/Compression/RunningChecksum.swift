import CZlib

/// A CRC32 that runs on from one run of bytes to the next.
package struct RunningChecksum: Sendable {
    private var state: uLong = 0

    package init() {}

    /// The checksum of everything so far.
    package var value: UInt32 {
        UInt32(truncatingIfNeeded: state)
    }

    /// Goes on over these bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        state = crc32_z(state, base, bytes.count)
    }
}
