/// How much a connection accepts from its peer, and how much it means to hold for it. All sizes are in bytes.
package struct BLIPLimits: Sendable, Hashable {
    /// The largest frame (WebSocket message) accepted. LiteCore's own limit is 1 MiB; Sync Gateway sends at most about 16 KiB.
    package var maxFrameSize = 1 << 20

    /// The largest block of properties accepted and sent. 102,400 is LiteCore's limit, in both directions.
    package var maxPropertiesSize = 102_400

    /// The most properties of a message accepted. No known peer sends more than about fifteen.
    package var maxPropertyCount = 64

    /// The largest body of a message that is received whole. Streamed replies have no limit.
    package var maxBodySize = 64 << 20

    /// The most bytes that one compressed frame may inflate to. LiteCore fills a frame with up to 16 KiB of compressed bytes, and
    /// deflate packs at most 1,032 bytes into one, so no honest frame of LiteCore's or Sync Gateway's exceeds the default.
    package var maxInflatedFrameSize = 32 << 20

    /// The most messages that may be arriving at a time: their first frame is here, their last is not.
    package var maxOpenMessages = 1_024

    /// The most bytes held in unfinished messages and in parts of streamed replies that the host has not consumed.
    package var maxBufferedBytes = 128 << 20

    /// Outgoing bytes beyond which ``BLIPConnection/hasRoom`` is false. Nothing is refused then: a host that goes on sending uses memory.
    package var maxQueuedBytes = 1 << 20

    /// The default limits.
    package init() {}
}

/// How a connection compresses what it sends. What it receives it inflates in any case.
package struct BLIPCompression: Sendable, Hashable {
    /// zlib's level: 1 is fast, 9 is small, 0 turns compression off.
    package let level: Int32

    /// The base-2 logarithm of the deflate window in bytes, 12 to 15. Peers inflate any of them.
    ///
    /// While it has compressed frames to send, a connection takes `1 << (windowBits + 3)` bytes for it: zlib's memory level is always 7
    /// less, with which a block never outgrows the window, and so incompressible bytes grow by little enough to stay within a frame.
    package let windowBits: Int32

    /// A frame with fewer bytes than this goes out as it is: the call of the compressor would cost more than the bytes it saves.
    package let minimumPayload: Int

    /// While a connection holds no compressor, only a frame with so many bytes makes it take one: thousands of idle clients that are told of
    /// a change now and then cost no compressor each.
    package let minimumBeginning: Int

    /// Creates settings; values out of range become the nearest in it.
    ///
    /// The defaults take 64 KiB and come within 15% of the smallest size for documents of 300 bytes, at three quarters of its price.
    package init(level: Int = 3, windowBits: Int = 13, minimumPayload: Int = 64, minimumBeginning: Int = 512) {
        self.level = Int32(min(max(level, 0), 9))
        self.windowBits = Int32(min(max(windowBits, 12), 15))
        self.minimumPayload = max(minimumPayload, 1)
        self.minimumBeginning = max(minimumBeginning, self.minimumPayload)
    }

    /// No compression.
    package static let off = BLIPCompression(level: 0)
}
