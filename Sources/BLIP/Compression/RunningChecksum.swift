import CZlib

/// The CRC32 that runs on over the uncompressed payloads of all frames in one direction.
struct RunningChecksum {
    private var state: UInt = 0

    /// The checksum of everything so far.
    var value: UInt32 {
        UInt32(truncatingIfNeeded: state)
    }

    /// Goes on over these bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        state = crc32_z(state, base, bytes.count)
    }
}
