import Storage

/// The pending changes of a transaction, which are written once per commit rather than once per document.
struct TransactionChanges {
    /// The change of a scope's document counts.
    struct Scope {
        let number: Int64
        var counts = DocumentCounts()
    }

    /// The counter.
    var sequence: SequenceNumber

    /// The users and roles whose properties or grants changed.
    var access = AccessChange.none

    /// The last sequence of a change of channels only; zero for none.
    var lastChannelOnlySequence = SequenceNumber.zero

    /// Whether collections were added, or changed their visibility or sync function.
    var touchesCollections = false

    /// The last inserted document, until its channels are set.
    var inserted: DocumentKey?

    /// The last channel looked up: most documents of a collection are in one.
    var channel: (name: String, key: Int64)?

    /// The scopes whose documents changed. There are few of them, so a linear search costs less than hashing.
    private(set) var scopes: [Scope] = []

    /// The channels in which documents were added, changed or removed; `nil` above the limit, or for a change that channels cannot describe.
    private(set) var channels: Set<ChannelPlace>? = []

    /// The limit of listed channels. Above it, the commit wakes all followers.
    private static let channelsNamed = 64

    init(sequence: SequenceNumber) {
        self.sequence = sequence
    }

    /// Records that a document with these flags entered (`step` 1) or left (-1) a scope.
    mutating func count(_ flags: DocumentFlags, in scope: FeedScope, by step: Int64) {
        let number = scope.number
        var index = scopes.startIndex
        while index < scopes.endIndex, scopes[index].number != number { index += 1 }
        if index == scopes.endIndex { scopes.append(Scope(number: number)) }
        scopes[index].counts.add(flags, step)
    }

    /// Records a change of a scope's documents that does not change the counts, such as their channels.
    mutating func touch(_ scope: FeedScope) {
        count([], in: scope, by: 0)
    }

    /// Records a change in a channel.
    mutating func touch(_ channel: ChannelPlace) {
        channels?.insert(channel)
        if (channels?.count ?? 0) > Self.channelsNamed { channels = nil }
    }

    /// Records a change that may concern every follower, whatever its channels.
    mutating func touchEveryone() {
        channels = nil
    }

    /// The pending change of a scope's counts.
    func counts(_ scope: FeedScope) -> DocumentCounts? {
        scopes.first { $0.number == scope.number }?.counts
    }

    /// The commit as published to followers.
    var commit: Commit {
        let unified = FeedScope.unified.number
        return Commit(
            sequence: sequence,
            touchesUnified: scopes.contains { $0.number == unified },
            collections: Set(scopes.filter { $0.number != unified }.map { CollectionKey($0.number) }), access: access,
            channels: channels)
    }
}
