package import Storage

/// Distinguishes positions in this database's own feed from positions of other servers.
///
/// Own sequences lie between the store's origin and its counter. An old server's sequences are usually lower. When an old server's sequences come
/// near the origin, its numbers are ambiguous. Own positions then carry a mark, `0:1000000034`, which no other server's positions have, and an
/// unmarked position restarts the feed.
package struct LocalSequences: Equatable, Sendable {
    let origin: SequenceNumber
    let counter: SequenceNumber

    /// The highest sequence that an old server is known to have reached; 0 if every old server is far below every origin.
    let reach: Int64

    package init(origin: SequenceNumber, counter: SequenceNumber, reach: Int64 = 0) {
        self.origin = origin
        self.counter = counter
        self.reach = reach
    }

    init(of snapshot: any StoreSnapshot) throws {
        try self.init(origin: snapshot.origin, counter: snapshot.lastSequence, reach: UpstreamHighSequence.read(in: snapshot))
    }

    /// Whether a number from the origin on may be an old server's sequence. True from half of the origin on: the server may be further than the
    /// highest recorded sequence.
    package var isDoubtful: Bool { reach >= origin.value / 2 }

    /// Whether this database has assigned the position's number.
    package func contains(_ position: FeedPosition) -> Bool { origin...max(origin, counter) ~= position.trigger ?? position.sequence }

    /// Interprets a position that a client sends.
    ///
    /// - Returns: `nil` for a position of another server's feed; ``FeedPosition/zero`` where the position is ambiguous.
    package func own(_ position: FeedPosition) -> FeedPosition? {
        guard contains(position) else { return nil }
        switch position.reached {
        case 0: return position
        case _ where isDoubtful: return .zero
        case nil: return position
        case let reached?: return reached < origin.value && position.sequence >= origin ? position : nil
        }
    }

    /// The form of the position that clients receive: with a mark where numbers are ambiguous.
    package func marked(_ position: FeedPosition) -> FeedPosition {
        isDoubtful ? FeedPosition(position.sequence, trigger: position.trigger, reached: 0) : position
    }

    /// The end of the feed, marked where needed.
    package var end: FeedPosition { marked(FeedPosition(counter)) }
}

extension Keyspace {
    /// Reads which numbers are positions in this feed.
    package func ownSequences() async throws -> LocalSequences {
        try await store.read { try LocalSequences(of: $0) }
    }
}
