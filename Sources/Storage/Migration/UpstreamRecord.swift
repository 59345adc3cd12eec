/// What is known of the legacy upstream's changes feed as a whole.
public struct UpstreamRecord: Hashable, Sendable {
    /// Whose feed it is.
    public let source: String

    /// Raised whenever what was noted is forgotten. What was read of the feed in an earlier era says nothing any more.
    public let era: Int64

    /// Whether its sequences are opaque texts rather than numbers.
    public var isOpaque = false

    /// The last ordinal that an opaque sequence was given.
    public var ordinal: Int64 = 0

    /// The number with which that opaque sequence begins: it never falls while the feed goes on.
    public var counted: Int64 = 0

    /// Up to which number of its feed everything that it shows is here; 0 where its sequences are opaque.
    public var pulled: Int64 = 0

    public init(source: String, era: Int64) {
        self.source = source
        self.era = era
    }
}

/// What was learned of a device that comes from the legacy upstream, for its user and its place there.
public struct UpstreamDeviceRecord: Hashable, Sendable {
    /// JSON: the channels of which it has every document up to the place.
    public let channels: String

    /// At which place here it goes on at the latest; `nil` where there is none.
    public let position: SequenceNumber?

    /// JSON: the places of our feed with rows that upstream had not sent it; `nil` for none.
    public let silent: String?

    /// Our counter when it was learned; `nil` where that is not known.
    public let learned: SequenceNumber?

    public init(channels: String, position: SequenceNumber? = nil, silent: String? = nil, learned: SequenceNumber? = nil) {
        self.channels = channels
        self.position = position
        self.silent = silent
        self.learned = learned
    }
}
