/// One row of a channel's feed.
public struct ChannelRow: Sendable {
    /// The document as it is now, at the place that it has in the channel.
    public let document: FeedRow

    /// With which sequence the document came into the channel for the first time.
    public let since: Sequence

    /// The revision with which it left; `nil` while it is in the channel.
    public let leftWith: String?

    public init(document: FeedRow, since: Sequence, leftWith: String?) {
        self.document = document
        self.since = since
        self.leftWith = leftWith
    }
}
