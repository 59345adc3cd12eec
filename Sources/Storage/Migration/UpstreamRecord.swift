/// The state of the legacy upstream's changes feed.
package struct UpstreamRecord: Hashable, Sendable {
    /// The server and database of the feed.
    package let source: String

    /// Incremented whenever the recorded state is deleted. Positions in the feed from an earlier era are invalid.
    package let era: Int64

    /// Whether its sequences are opaque strings rather than numbers.
    package var isOpaque = false

    /// The last ordinal assigned to an opaque sequence.
    package var ordinal: Int64 = 0

    /// The leading number of the opaque sequence with that ordinal. It never decreases while the feed continues.
    package var counted: Int64 = 0

    /// The sequence of the upstream feed up to which this store has every row that the feed shows; 0 for opaque sequences.
    package var pulled: Int64 = 0

    package init(source: String, era: Int64) {
        self.source = source
        self.era = era
    }
}

/// The recorded state of a client that comes from the legacy upstream, by user and position in the upstream feed.
package struct UpstreamDeviceRecord: Hashable, Sendable {
    /// The channels whose documents up to the position the client has completely, as JSON.
    package let channels: String

    /// The latest sequence of our feed at which it must continue; `nil` if there is none.
    package let position: SequenceNumber?

    /// The sequences of our feed whose rows upstream had not sent to the client, as JSON; `nil` for none.
    package let silent: String?

    /// Our last sequence when the state was recorded; `nil` if unknown.
    package let learned: SequenceNumber?

    package init(channels: String, position: SequenceNumber? = nil, silent: String? = nil, learned: SequenceNumber? = nil) {
        self.channels = channels
        self.position = position
        self.silent = silent
        self.learned = learned
    }
}
