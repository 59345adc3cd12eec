import Access
import Logging
public import Storage
import Synchronization

extension Keyspace {
    /// Says that the legacy upstream's feed is going to be read, so that its places can be compared with those that clients come with.
    ///
    /// One upstream is noted at a time; another one's notes are forgotten.
    ///
    /// - Parameters:
    ///   - source: Which server's: its URL, without credentials.
    ///   - since: Where reading begins; `nil` for the beginning of the feed.
    public func beginUpstreamFeed(of source: String, since: UpstreamSequence?) async throws {
        try await store.write { try UpstreamFeedIndex(transaction: $0).begin(source, since: since) }
    }

    /// The places of rows of the legacy upstream's feed, in its order. To be asked before the rows are dealt with.
    ///
    /// - Returns: One for each; none if another upstream's feed is being noted meanwhile.
    public func upstreamPlaces(of rows: [UpstreamSequence], in source: String) async throws -> [UpstreamPlace] {
        guard !rows.isEmpty else { return [] }
        let kept = database.configuration.limits.upstreamSequences
        return try await store.write { try UpstreamFeedIndex(transaction: $0, kept: kept).places(of: rows, in: source) }
    }

    /// Notes that upstream has these rows; to be said when what they brought is durable, and before a checkpoint passes them.
    ///
    /// That holds for rows with nothing new, too, such as the echoes of what was pushed: a document is known to be upstream by them.
    ///
    /// - Parameter end: Up to where all rows of the feed have been dealt with, these included; `nil` if that is not known.
    public func noteUpstream(_ rows: [UpstreamRow], upTo end: UpstreamSequence? = nil) async throws {
        guard !rows.isEmpty || end != nil else { return }
        try await store.write { try UpstreamFeedIndex(transaction: $0).note(rows, upTo: end) }
    }

    /// Up to which number of the legacy upstream's feed everything that it shows is here; `nil` where its places are no numbers.
    public func pulledUpstream() async throws -> Int64? {
        try await store.read(as: share) { try $0.upstream().flatMap { $0.isOpaque ? nil : $0.pulled } }
    }

    /// Which of these places of the unified feed need not be given to the legacy upstream, because it has shown their documents as they are.
    ///
    /// - Parameter source: Which server's feed was noted; none if it is another one's.
    public func shownUpstream(_ sequences: [SequenceNumber], in source: String) async throws -> Set<SequenceNumber> {
        guard scope == .unified, !sequences.isEmpty else { return [] }
        return try await store.read(as: share) { snapshot in
            guard try snapshot.upstream()?.source == source else { return [] }
            return Set(try sequences.filter { try snapshot.isShownUpstream($0) })
        }
    }

    /// Where a client goes on here that has read the legacy upstream's feed up to a place (docs/protocol/model.md#translated-sequences).
    ///
    /// It is offered what it may lack, and where only upstream wrote, nothing else: documents that changed, and the older documents of channels that it
    /// had not seen there. Other keyspaces than the unified one never were on an
    /// old server, so there clients begin at the start.
    public func position(ofUpstream sequence: UpstreamSequence) async throws -> FeedPosition {
        guard scope == .unified, !sequence.isStart else { return .zero }
        let translated = try await store.read(as: share) { snapshot -> FeedPosition? in
            guard let found = try UpstreamTranslation(snapshot: snapshot).position(of: sequence) else { return nil }
            // Who sees everything is told of documents alone. Numbers as high as ours could not be told from ours.
            let seesEverything = try access(of: rights(in: snapshot)).values.allSatisfy(\.seesEverything)
            let reached = seesEverything ? nil : sequence.reached.flatMap { $0 < database.origin.value ? $0 : nil }
            return FeedPosition(min(found, try lowest(from: sequence, in: snapshot) ?? found), reached: reached)
        }
        guard let found = translated else {
            database.logger.notice(
                "a client comes with a place in a feed that is not known here; it is offered everything",
                metadata: ["database": "\(database.name)", "unknown places so far": "\(database.unknownPositions.add())"])
            return .zero
        }
        return found.sequence > database.origin ? found : FeedPosition(.zero, reached: found.reached)
    }

    /// Notes the last sequence of which the legacy upstream has told.
    public func noteUpstreamReach(_ number: Int64) async throws {
        // Nearly every server's is far below, which needs no transaction.
        guard number >= SequenceNumber.newOrigin.value / 2 else { return }
        try await store.write { try UpstreamHighSequence.note(number, in: $0) }
    }
}

/// How many clients came with a place in another server's feed that could not be translated.
final class UnknownPositionCounter: Sendable {
    private let count = Mutex(0)

    /// Adds one; the sum so far.
    func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
