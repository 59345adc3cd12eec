public import Documents

/// What a device had seen on the server that it comes from, when it stood at a place of that server's feed.
public struct UpstreamVisibility: Hashable, Sendable {
    /// The channels of which it has every document up to the place; ``ChannelAccess/everything`` for all.
    public var channels: Set<String>

    /// Channels that were granted after the place, each with the number of the change there that granted it.
    public var later: [String: Int64]

    /// The user's own channels as upstream names them now; `nil` where it has none, or was not asked.
    public var own: Set<String>?

    /// What the device is to be told behind the place: documents that were deleted, or that left channels of the user's.
    public var losses: [Loss] = []

    /// What upstream told the device behind its place; `nil` if that was not read, or not to its end.
    public var told: Told?

    /// What a device was told there behind a place.
    public struct Told: Hashable, Sendable {
        /// The documents.
        public var ids: Set<ExactString>

        /// The number up to which that is all.
        public var end: Int64

        public init(ids: Set<ExactString> = [], end: Int64 = 0) {
            self.ids = ids
            self.end = end
        }
    }

    public struct Loss: Hashable, Sendable {
        public let id: String

        /// The channels that the document has left; empty for a deleted one, as long as nobody has asked in which of the user's channels it is told.
        public var channels: Set<String>

        /// The number of the change there with which it left; `nil` if it has none.
        public var number: Int64?

        public init(id: String, channels: Set<String> = [], number: Int64? = nil) {
            self.id = id
            self.channels = channels
            self.number = number
        }
    }

    public init(channels: Set<String> = [], later: [String: Int64] = [:], losses: [Loss] = [], own: Set<String>? = nil) {
        self.channels = channels
        self.own = own
        self.later = later
        self.losses = losses
    }

    init(_ session: UpstreamSession, at place: UpstreamCheckpoints.Place) {
        guard let grants = session.grants else {
            self.init(channels: [ChannelAccess.everything])
            return
        }
        self.init()
        own = session.channels
        for (channel, granted) in grants {
            if let given = place.granted, granted <= given { channels.insert(channel) } else { later[channel] = granted }
        }
    }
}
