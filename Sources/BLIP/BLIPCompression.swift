/// How a connection compresses what it sends. What it receives it inflates in any case.
public struct BLIPCompression: Sendable, Hashable {
    /// zlib's level: 1 is fast, 9 is small, 0 turns compression off.
    public let level: Int32

    /// The base-2 logarithm of the deflate window, 9 to 15. Peers inflate any of them. The compressor takes `1 << (windowBits + 2)`
    /// bytes for it.
    public let windowBits: Int32

    /// zlib's memory level, 1 to 9. The compressor takes `1 << (memoryLevel + 9)` bytes for it.
    public let memoryLevel: Int32

    /// A frame with fewer bytes than this goes out as it is: the call of the compressor would cost more than the bytes it saves.
    public let minimumPayload: Int

    /// Creates settings; values outside of zlib's ranges become the nearest that zlib takes.
    public init(level: Int = 6, windowBits: Int = 15, memoryLevel: Int = 8, minimumPayload: Int = 64) {
        self.level = Int32(min(max(level, 0), 9))
        self.windowBits = Int32(min(max(windowBits, 9), 15))
        self.memoryLevel = Int32(min(max(memoryLevel, 1), 9))
        self.minimumPayload = max(minimumPayload, 1)
    }

    /// No compression.
    public static let off = BLIPCompression(level: 0)
}
