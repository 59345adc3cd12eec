import Access
import Coordination
import Logging
package import Storage

extension Keyspace {
    /// Begins a read of the legacy upstream's feed, so that its positions can be compared with those of clients.
    ///
    /// The records of one upstream are stored at a time; those of another upstream are removed.
    ///
    /// - Parameters:
    ///   - source: The upstream's URL, without credentials.
    ///   - since: The position where the read begins; `nil` for the beginning of the feed.
    package func beginUpstreamFeed(of source: String, since: UpstreamSequence?) async throws {
        try await store.write { try UpstreamFeedIndex(transaction: $0).begin(source, since: since) }
    }

    /// Assigns ordinals to rows of the legacy upstream's feed, in feed order. To be called before the rows are processed.
    ///
    /// - Returns: One for each row; empty if another upstream's feed is being recorded meanwhile.
    package func upstreamPlaces(of rows: [UpstreamSequence], in source: String) async throws -> [UpstreamPlace] {
        guard !rows.isEmpty else { return [] }
        let kept = database.configuration.limits.upstreamSequences
        return try await store.write { try UpstreamFeedIndex(transaction: $0, kept: kept).places(of: rows, in: source) }
    }

    /// Records that upstream has these rows. To be called when their documents are durable, and before a checkpoint passes them.
    ///
    /// Rows without new revisions are recorded, too, such as echoes of pushes: they show that upstream has the document.
    ///
    /// - Parameter end: The position up to which all rows of the feed have been processed, including these; `nil` if unknown.
    package func noteUpstream(_ rows: [UpstreamRow], upTo end: UpstreamSequence? = nil) async throws {
        guard !rows.isEmpty || end != nil else { return }
        try await store.write { try UpstreamFeedIndex(transaction: $0).record(rows, upTo: end) }
    }

    /// The position of the legacy upstream's feed up to which all of its documents are stored here; `nil` if it is unknown.
    package func pulledUpstream() async throws -> UpstreamSequence? {
        try await store.read(as: share) { try UpstreamFeedIndex.pulled(in: $0) }
    }

    /// The sequences of the unified feed whose documents' current state the legacy upstream already has, so that they need no push.
    ///
    /// - Parameter source: The upstream; the result is empty if another upstream's feed was recorded.
    package func shownUpstream(_ sequences: [SequenceNumber], in source: String) async throws -> Set<SequenceNumber> {
        guard scope == .unified, !sequences.isEmpty else { return [] }
        return try await store.read(as: share) { snapshot in
            guard try snapshot.upstream()?.source == source else { return [] }
            return Set(try sequences.filter { try snapshot.isShownUpstream($0) })
        }
    }

    /// The position in this feed for a client that has read the legacy upstream's feed up to a position
    /// (docs/protocol/model.md#translated-sequences).
    ///
    /// From there on the client receives the documents that it may lack: changed documents, and the older documents of channels that it had not
    /// read on upstream. If only upstream wrote, it receives nothing else. Keyspaces other than the unified one were never on an old server, so
    /// clients start at the beginning there.
    package func position(ofUpstream sequence: UpstreamSequence) async throws -> FeedPosition {
        guard scope == .unified, !sequence.isStart else { return .zero }
        let translated = try await store.read(as: share) { snapshot -> FeedPosition? in
            guard let found = try UpstreamTranslation(snapshot: snapshot).position(of: sequence) else { return nil }
            // A reader with access to everything needs no channel history. A number from the origin on could not be told from own sequences.
            let seesEverything = try access(of: rights(in: snapshot)).values.allSatisfy(\.seesEverything)
            let reached = seesEverything ? nil : sequence.reached.flatMap { $0 < database.origin.value ? $0 : nil }
            return FeedPosition(min(found, try lowest(from: sequence, in: snapshot) ?? found), reached: reached)
        }
        guard let found = translated else {
            database.logger.notice(
                "the feed position of a client is unknown; the client gets the feed from the beginning",
                metadata: ["database": "\(database.name)", "unknown positions so far": "\(database.unknownPositions.add())"])
            return .zero
        }
        return found.sequence > database.origin ? found : FeedPosition(.zero, reached: found.reached)
    }

    /// Records the last sequence that the legacy upstream has reported.
    package func noteUpstreamReach(_ number: Int64) async throws {
        // Nearly every server's sequences are far below, which needs no transaction.
        guard number >= SequenceNumber.newOrigin.value / 2 else { return }
        try await store.write { try UpstreamHighSequence.record(number, in: $0) }
    }
}

/// Counts clients with a position of another server's feed that could not be translated.
final class UnknownPositionCounter: Sendable {
    private let count = Lock(0)

    /// Adds one, and returns the sum.
    func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
