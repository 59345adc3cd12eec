import CZlib

/// A CRC32 that is computed incrementally.
package struct RunningChecksum: Sendable {
    private var state: uLong = 0

    package init() {}

    /// The checksum of all bytes so far.
    package var value: UInt32 {
        UInt32(truncatingIfNeeded: state)
    }

    /// Adds bytes to the checksum.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        state = crc32_z(state, base, bytes.count)
    }
}
