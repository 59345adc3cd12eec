/// The sizes that the protocol's two implementations agree on (docs/protocol/modern-2x.md#frame-sizes, docs/protocol/modern-2x.md#flow-control).
/// All in bytes.
enum FrameSize {
    /// The largest frame that we send, header and checksum included. Sync Gateway refuses more than 32,768.
    static let normal = 16_384

    /// The largest while a message that waits next is urgent and this one is not.
    static let whileUrgentWaits = 4_096

    /// A frame's CRC32.
    static let checksum = 4

    /// What deflate may add to bytes that it can't compress, for one frame's worth.
    static let deflateOverhead = 160

    /// A message pauses once this many of its bytes are unacknowledged.
    static let maxUnacknowledged: UInt64 = 128_000

    /// An acknowledgement is due once this many bytes have come since the last one.
    static let acknowledgementInterval: UInt64 = 50_000
}
