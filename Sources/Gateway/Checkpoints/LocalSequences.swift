public import Storage

/// Which numbers are places in a database's own feed.
///
/// Ours are the numbers from the origin of the store up to its counter. An old server's are lower, as a rule. One that comes near the origin leaves its
/// numbers in doubt: then a place of ours is shown with a mark, `0:1000000034`, which no server's own places have, and one without is
/// taken for nothing.
public struct LocalSequences: Equatable, Sendable {
    let origin: SequenceNumber
    let counter: SequenceNumber

    /// The highest number that an old server is known to have come to; 0 for all that are far below every origin.
    let reach: Int64

    public init(origin: SequenceNumber, counter: SequenceNumber, reach: Int64 = 0) {
        self.origin = origin
        self.counter = counter
        self.reach = reach
    }

    init(of snapshot: any StoreSnapshot) throws {
        try self.init(origin: snapshot.origin, counter: snapshot.lastSequence, reach: UpstreamHighSequence.read(in: snapshot))
    }

    /// Whether a number from the origin on may be an old server's: it has come half the way, and may be further than it has told.
    var isDoubtful: Bool { reach >= origin.value / 2 }

    /// What is meant by a place with which a client comes.
    ///
    /// - Returns: `nil` for a place of another server's feed; the beginning where that cannot be told.
    public func own(_ position: FeedPosition) -> FeedPosition? {
        guard origin...max(origin, counter) ~= position.trigger ?? position.sequence else { return nil }
        switch position.reached {
        case 0: return position
        case _ where isDoubtful: return .zero
        case nil: return position
        case let reached?: return reached < origin.value && position.sequence >= origin ? position : nil
        }
    }

    /// The place as clients are to be told of it.
    public func marked(_ position: FeedPosition) -> FeedPosition {
        isDoubtful ? FeedPosition(position.sequence, trigger: position.trigger, reached: 0) : position
    }

    /// The place up to which everything here has been read, marked.
    public var end: FeedPosition { marked(FeedPosition(counter)) }
}

extension Keyspace {
    /// Which numbers are places in this feed.
    public func ownSequences() async throws -> LocalSequences {
        try await store.read { try LocalSequences(of: $0) }
    }
}
