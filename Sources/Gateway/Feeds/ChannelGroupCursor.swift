import Documents
import HeapModule
import Storage

/// Reads many channels with the same phase and bounds as one source.
///
/// To open each channel costs more than the few rows that a batch takes from it. This cursor reads windows of positions, each by one query for all
/// channels. Where a window yields few rows, the cursor looks up the first position of each channel, and from then on reads only the channels that
/// have rows in a window.
struct ChannelGroupCursor: FeedCursor {
    /// The number of channels from which on they are read together. Each of fewer channels yields many rows of a batch.
    static let fewest = 32

    /// The first position of a channel in the unread part; the last one in a descending feed.
    private struct Head: Comparable {
        let sequence: SequenceNumber
        let channel: StoredChannel

        static func < (a: Head, b: Head) -> Bool { a.sequence < b.sequence }
    }

    private let group: FeedSource.Group
    private let sources: [FeedSource]
    private let scope: FeedScope

    /// The unread part.
    private var stretch: FeedStretch

    /// Rows that have been read, with the indices of their sources.
    private var rows: ArraySlice<(source: Int, row: ChannelRow)> = []
    private var isAtEnd = false

    /// The indices of the channels' sources.
    private let channels: [StoredChannel: Int]

    /// The number of positions of a window of all channels.
    private var span: Int64

    /// The channels' first positions; `nil` while windows yield enough rows without them.
    private var heads: Heap<Head>?

    /// The channels of the last window, whose first positions in the unread part have not been looked up.
    private var passed: [StoredChannel] = []

    /// - Parameters:
    ///   - sources: The channels of the group.
    ///   - keys: The channels' keys. A channel without a key has no rows.
    ///   - rows: The approximate number of rows that will be read.
    ///   - bounds: The store's first and last sequence.
    init(
        _ group: FeedSource.Group, _ sources: [FeedSource], keys: [ExactString: ChannelKey], scope: FeedScope, rows: Int,
        isDescending: Bool, bounds: ClosedRange<SequenceNumber>
    ) {
        self.group = group
        self.sources = sources
        var channels: [StoredChannel: Int] = [:]
        for (index, source) in sources.enumerated() {
            guard let place = source.kind.channel, let key = keys[ExactString(place.channel)] else { continue }
            channels[StoredChannel(key, in: place.collection)] = index
        }
        self.channels = channels
        self.scope = scope
        stretch = FeedStretch(
            after: max(group.after, SequenceNumber(bounds.lowerBound.value - 1)),
            before: group.before ?? SequenceNumber(bounds.upperBound.value + 1), limit: max(rows, 16), isDescending: isDescending)
        span = Int64(min(stretch.limit, 10_000))
    }

    var bound: FeedPosition? {
        if let row = rows.first?.row { return group.phase.position(row.document.sequence) }
        guard !isAtEnd, let next = stretch.next else { return nil }
        return group.phase.position(passed.isEmpty ? first ?? next : next)
    }

    mutating func take(at position: FeedPosition, in snapshot: any StoreSnapshot) throws -> (FeedSource, ChannelRow)? {
        while rows.isEmpty, !isAtEnd { try read(from: snapshot) }
        guard let (index, row) = rows.first, group.phase.position(row.document.sequence) == position else { return nil }
        rows.removeFirst()
        return (sources[index], row)
    }

    private var first: SequenceNumber? { stretch.isDescending ? heads?.max?.sequence : heads?.min?.sequence }

    private mutating func read(from snapshot: any StoreSnapshot) throws {
        guard !channels.isEmpty, let next = stretch.next else { return isAtEnd = true }
        if heads == nil {
            let all = Array(channels.keys)
            try read(window(from: next, span), of: all, in: snapshot)
            guard rows.count < max(1, all.count / 4) else { return }
            heads = Heap()
            passed = all
        } else {
            try findHeads(in: snapshot)
            guard let first else { return isAtEnd = true }
            let last = takeHeads()
            try read(window(from: first, abs(last.value - first.value) + 1), of: passed, in: snapshot)
        }
    }

    /// The window of a number of positions that begins with `position`.
    private func window(from position: SequenceNumber, _ count: Int64) -> FeedStretch {
        var window = stretch
        if stretch.isDescending {
            window.before = SequenceNumber(position.value + 1)
            window.after = SequenceNumber(max(stretch.after.value, position.value - count))
        } else {
            window.after = SequenceNumber(position.value - 1)
            window.before = SequenceNumber(min(stretch.end.value, position.value + count))
        }
        return window
    }

    /// Reads the first rows of channels in a window.
    private mutating func read(_ window: FeedStretch, of channels: [StoredChannel], in snapshot: any StoreSnapshot) throws {
        var (window, found) = (window, try rows(of: channels, window, in: snapshot))
        if found.count == window.limit, let first = found.first?.row.document.sequence, let last = found.last?.row.document.sequence {
            // More rows may have the last position.
            if first == last {
                window = self.window(from: first, 1)
                window.limit = .max
                found = try rows(of: channels, window, in: snapshot)
            } else {
                window = self.window(from: first, abs(last.value - first.value))
                found.removeLast(found.reversed().prefix { $0.row.document.sequence == last }.count)
            }
            span = max(1, min(span, window.count))
        }
        rows = found[...]
        if stretch.isDescending {
            stretch.before = SequenceNumber(window.after.value + 1)
        } else {
            stretch.after = SequenceNumber(window.end.value - 1)
        }
    }

    private func rows(
        of channels: [StoredChannel], _ window: FeedStretch, in snapshot: any StoreSnapshot
    ) throws -> [(source: Int, row: ChannelRow)] {
        var found: [(source: Int, row: ChannelRow)] = []
        try snapshot.channelFeed(channels, in: scope, window) { channel, row in
            if let index = self.channels[channel] { found.append((index, row)) }
        }
        found.sort { a, b in
            let (a, b) = (a.row.document.sequence, b.row.document.sequence)
            return stretch.isDescending ? a > b : a < b
        }
        return found
    }

    /// Looks up the first positions of the channels of the last window.
    private mutating func findHeads(in snapshot: any StoreSnapshot) throws {
        var found: [Head] = []
        if stretch.next != nil {
            try snapshot.channelHeads(passed, in: scope, stretch) { found.append(Head(sequence: $1, channel: $0)) }
        }
        heads?.insert(contentsOf: found)
        passed = []
    }

    /// Removes the heads of the next window, so that it yields about as many rows as a batch needs.
    ///
    /// - Returns: The last one's position. No other head is before or at it.
    private mutating func takeHeads() -> SequenceNumber {
        let count = max(1, min(stretch.limit, (heads?.count ?? 0) / 2))
        var last = SequenceNumber.zero
        while let head = stretch.isDescending ? heads?.max : heads?.min, passed.count < count || head.sequence == last {
            last = head.sequence
            passed.append(head.channel)
            _ = stretch.isDescending ? heads?.removeMax() : heads?.removeMin()
        }
        return last
    }
}

extension FeedStretch {
    /// The first position, or the last one in descending order; `nil` for an empty stretch.
    fileprivate var next: SequenceNumber? {
        guard after.value < end.value - 1 else { return nil }
        return SequenceNumber(isDescending ? end.value - 1 : after.value + 1)
    }

    /// The number of positions of a stretch with an end.
    fileprivate var count: Int64 { end.value - after.value - 1 }
}
