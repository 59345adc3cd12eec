/// A document's time in a channel.
public struct ChannelEntry: Hashable, Sendable {
    public let channel: String

    /// The place in the unified feed of the last change while it was in the channel, or of its leaving; `nil` in a hidden collection.
    public let sequence: SequenceNumber?

    /// The same in its collection's feed.
    public let collectionSequence: SequenceNumber

    /// With which sequence it came into the channel for the first time: who lost the channel since may have the document, though it left and came back.
    public let since: SequenceNumber

    /// The revision with which it left; `nil` while it is in the channel.
    public let leftWith: String?

    /// The number of the legacy upstream's change with which it left there; `nil` where it left here, or is in the channel.
    public let leftUpstream: Int64?

    public init(
        channel: String, sequence: SequenceNumber?, collectionSequence: SequenceNumber, since: SequenceNumber, leftWith: String?,
        leftUpstream: Int64? = nil
    ) {
        self.channel = channel
        self.sequence = sequence
        self.collectionSequence = collectionSequence
        self.since = since
        self.leftWith = leftWith
        self.leftUpstream = leftUpstream
    }

    /// The same under another name of the channel.
    public func called(_ name: String) -> ChannelEntry {
        ChannelEntry(
            channel: name, sequence: sequence, collectionSequence: collectionSequence, since: since, leftWith: leftWith,
            leftUpstream: leftUpstream)
    }

    /// Whether the document is in the channel now.
    public var isCurrent: Bool { leftWith == nil }

    /// Whether a device knows that the document left which had read the legacy upstream's feed up to a number; `nil` for one that does not come from there.
    public func isKnown(havingReached number: Int64?) -> Bool {
        guard let number, let leftUpstream else { return false }
        return leftUpstream <= number
    }

    /// Its place in a feed.
    public func sequence(in scope: FeedScope) -> SequenceNumber? {
        scope == .unified ? sequence : collectionSequence
    }
}

/// A channel of one collection: where documents come and go that those who hold it may see.
public struct ChannelPlace: Hashable, Sendable {
    public let channel: String
    public let collection: CollectionKey

    public init(_ channel: String, in collection: CollectionKey) {
        self.channel = channel
        self.collection = collection
    }
}

/// One row of a channel's feed.
public struct ChannelRow: Sendable {
    /// The document as it is now, at the place that it has in the channel.
    public let document: FeedRow

    /// With which sequence the document came into the channel for the first time.
    public let since: SequenceNumber

    /// The revision with which it left; `nil` while it is in the channel.
    public let leftWith: String?

    public init(document: FeedRow, since: SequenceNumber, leftWith: String?) {
        self.document = document
        self.since = since
        self.leftWith = leftWith
    }
}
