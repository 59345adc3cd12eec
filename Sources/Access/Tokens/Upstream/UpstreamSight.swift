/// What a device had seen on the server that it comes from, when it stood at a place of that server's feed.
public struct UpstreamSight: Hashable, Sendable {
    /// The channels of which it has every document up to the place; ``ChannelAccess/everything`` for all.
    public var channels: Set<String>

    /// Channels that were granted after the place, each with the number of the change there that granted it.
    public var later: [String: Int64]

    public init(channels: Set<String> = [], later: [String: Int64] = [:]) {
        self.channels = channels
        self.later = later
    }

    /// - Parameter reached: up to which number a device at the place has every document; `nil` where the place is no number.
    init(_ session: UpstreamSession, reached: Int64?) {
        guard let grants = session.grants else {
            self.init(channels: [ChannelAccess.everything])
            return
        }
        self.init()
        for (channel, granted) in grants {
            if let reached, granted <= reached { channels.insert(channel) } else { later[channel] = granted }
        }
    }
}
