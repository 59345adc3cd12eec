/// A document's membership of a channel, current or past.
package struct ChannelEntry: Hashable, Sendable {
    package let channel: String

    /// The sequence in the unified feed of the last change in the channel, or of the removal from it; `nil` in a hidden collection.
    package let sequence: SequenceNumber?

    /// The same in the collection's feed.
    package let collectionSequence: SequenceNumber

    /// The sequence of the first entry into the channel. A client that lost the channel after it may have the document, even if the document left
    /// and came back.
    package let since: SequenceNumber

    /// The revision with which it left; `nil` while it is in the channel.
    package let leftWith: String?

    /// The sequence of the legacy upstream's change that removed it from the channel; `nil` if it left in this store, or is in the channel.
    package let leftUpstream: Int64?

    package init(
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

    /// The same entry with another channel name.
    package func called(_ name: String) -> ChannelEntry {
        ChannelEntry(
            channel: name, sequence: sequence, collectionSequence: collectionSequence, since: since, leftWith: leftWith,
            leftUpstream: leftUpstream)
    }

    /// Whether the document is in the channel now.
    package var isCurrent: Bool { leftWith == nil }

    /// Whether a client that has read the legacy upstream's feed up to `number` has received the removal from the channel. `nil` for a client that
    /// does not come from upstream.
    package func isKnown(havingReached number: Int64?) -> Bool {
        guard let number, let leftUpstream else { return false }
        return leftUpstream <= number
    }

    /// Its sequence in a feed.
    package func sequence(in scope: FeedScope) -> SequenceNumber? {
        scope == .unified ? sequence : collectionSequence
    }
}

/// A channel of one collection.
package struct ChannelPlace: Hashable, Sendable {
    package let channel: String
    package let collection: CollectionKey

    package init(_ channel: String, in collection: CollectionKey) {
        self.channel = channel
        self.collection = collection
    }
}

/// Key of a channel's name in the store.
package struct ChannelKey: Hashable, Sendable {
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }
}

/// A channel of one collection, by its key.
package struct StoredChannel: Hashable, Sendable {
    package let key: ChannelKey
    package let collection: CollectionKey

    package init(_ key: ChannelKey, in collection: CollectionKey) {
        self.key = key
        self.collection = collection
    }
}

/// One row of a channel's feed.
package struct ChannelRow: Sendable {
    /// The current document, with its sequence in the channel.
    package let document: FeedRow

    /// The sequence of the document's first entry into the channel.
    package let since: SequenceNumber

    /// The revision with which it left; `nil` while it is in the channel.
    package let leftWith: String?

    package init(document: FeedRow, since: SequenceNumber, leftWith: String?) {
        self.document = document
        self.since = since
        self.leftWith = leftWith
    }
}
