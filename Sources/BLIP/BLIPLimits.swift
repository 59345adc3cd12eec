/// How much a connection accepts from its peer, and how much it means to hold for it. All sizes are in bytes.
public struct BLIPLimits: Sendable, Hashable {
    /// The largest frame (WebSocket message) accepted. LiteCore's own limit is 1 MiB; Sync Gateway sends at most about 16 KiB.
    public var maxFrameSize = 1 << 20

    /// The largest block of properties accepted and sent. 102,400 is LiteCore's limit, in both directions.
    public var maxPropertiesSize = 102_400

    /// The most properties of a message accepted. No known peer sends more than about fifteen.
    public var maxPropertyCount = 64

    /// The largest body of a message that is received whole. Streamed replies have no limit.
    public var maxBodySize = 64 << 20

    /// The most bytes that one compressed frame may inflate to. LiteCore fills a frame with up to 16 KiB of compressed bytes, and
    /// deflate packs at most 1,032 bytes into one, so no honest frame of LiteCore's or Sync Gateway's exceeds the default.
    public var maxInflatedFrameSize = 32 << 20

    /// The most messages that may be arriving at a time: their first frame is here, their last is not.
    public var maxOpenMessages = 1_024

    /// The most bytes held in unfinished messages and in parts of streamed replies that the host has not consumed.
    public var maxBufferedBytes = 128 << 20

    /// Outgoing bytes beyond which ``BLIPConnection/hasRoom`` is false. Nothing is refused then: a host that goes on sending uses memory.
    public var maxQueuedBytes = 1 << 20

    /// The default limits.
    public init() {}
}
