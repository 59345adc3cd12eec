/// Limits on the data that a connection accepts from its peer and buffers. All sizes are in bytes.
package struct BLIPLimits: Sendable, Hashable {
    /// The maximum size of a received frame (WebSocket message). LiteCore's own limit is 1 MiB; Sync Gateway sends at most about 16 KiB.
    package var maxFrameSize = 1 << 20

    /// The maximum size of a message's properties, received and sent. 102,400 is LiteCore's limit, in both directions.
    package var maxPropertiesSize = 102_400

    /// The maximum number of properties in a received message. No known peer sends more than about fifteen.
    package var maxPropertyCount = 64

    /// The maximum body size of a message that is received as a whole. Streamed replies have no limit.
    package var maxBodySize = 64 << 20

    /// The maximum inflated size of one compressed frame.
    ///
    /// LiteCore fills a frame with up to 16 KiB of compressed bytes, and deflate compresses at most 1,032 bytes into one. So no valid frame of
    /// LiteCore or Sync Gateway exceeds the default.
    package var maxInflatedFrameSize = 32 << 20

    /// The maximum number of messages that are partly received at a time.
    package var maxOpenMessages = 1_024

    /// The maximum size of incomplete messages plus unconsumed parts of streamed replies.
    package var maxBufferedBytes = 128 << 20

    /// The number of queued outgoing bytes from which ``BLIPConnection/hasRoom`` is false. It is not enforced: a host that continues sending
    /// uses more memory.
    package var maxQueuedBytes = 1 << 20

    /// The default limits.
    package init() {}
}

/// How a connection compresses outgoing frames. Incoming frames are always inflated if compressed.
package struct BLIPCompression: Sendable, Hashable {
    /// The zlib level: 1 is fast, 9 is small, 0 disables compression.
    package let level: Int32

    /// The base-2 logarithm of the deflate window in bytes, 12 to 15. Peers inflate any of them.
    ///
    /// While a connection has compressed frames to send, it allocates `1 << (windowBits + 3)` bytes. zlib's memory level is always 7 less, so
    /// that a block never exceeds the window, and incompressible data grows so little that it still fits a frame.
    package let windowBits: Int32

    /// A frame with fewer bytes than this is not compressed: calling the compressor costs more than it saves.
    package let minimumPayload: Int

    /// The minimum frame size for which a connection without a compressor allocates one. So thousands of idle clients that occasionally
    /// receive a change do not each need a compressor.
    package let minimumBeginning: Int

    /// Creates settings; values out of range are clamped.
    ///
    /// The defaults use 64 KiB and come within 15% of the smallest size for documents of 300 bytes, at three quarters of its cost.
    package init(level: Int = 3, windowBits: Int = 13, minimumPayload: Int = 64, minimumBeginning: Int = 512) {
        self.level = Int32(min(max(level, 0), 9))
        self.windowBits = Int32(min(max(windowBits, 12), 15))
        self.minimumPayload = max(minimumPayload, 1)
        self.minimumBeginning = max(minimumBeginning, self.minimumPayload)
    }

    /// No compression.
    package static let off = BLIPCompression(level: 0)
}
