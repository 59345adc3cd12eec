/// How a connection compresses what it sends. What it receives it inflates in any case.
public struct BLIPCompression: Sendable, Hashable {
    /// zlib's level: 1 is fast, 9 is small, 0 turns compression off.
    public let level: Int32

    /// The base-2 logarithm of the deflate window in bytes, 12 to 15. Peers inflate any of them.
    ///
    /// While it has compressed frames to send, a connection takes `1 << (windowBits + 3)` bytes for it: zlib's memory level is always 7
    /// less, with which a block never outgrows the window, and so incompressible bytes grow by little enough to stay within a frame.
    public let windowBits: Int32

    /// A frame with fewer bytes than this goes out as it is: the call of the compressor would cost more than the bytes it saves.
    public let minimumPayload: Int

    /// While a connection holds no compressor, only a frame with so many bytes makes it take one: thousands of idle clients that are told of
    /// a change now and then cost no compressor each.
    public let minimumBeginning: Int

    /// Creates settings; values out of range become the nearest in it.
    ///
    /// The defaults take 64 KiB and come within 15% of the smallest size for documents of 300 bytes, at three quarters of its price.
    public init(level: Int = 3, windowBits: Int = 13, minimumPayload: Int = 64, minimumBeginning: Int = 512) {
        self.level = Int32(min(max(level, 0), 9))
        self.windowBits = Int32(min(max(windowBits, 12), 15))
        self.minimumPayload = max(minimumPayload, 1)
        self.minimumBeginning = max(minimumBeginning, self.minimumPayload)
    }

    /// No compression.
    public static let off = BLIPCompression(level: 0)
}
