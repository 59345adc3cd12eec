/// The pending changes of a transaction, which an engine writes once per commit rather than once per document.
package struct TransactionChanges {
    /// The change of a scope's document counts.
    package struct Scope {
        package let number: Int64
        package fileprivate(set) var counts = DocumentCounts()
    }

    /// The counter.
    package var sequence: SequenceNumber

    /// The users and roles whose properties or grants changed.
    package var access = AccessChange.none

    /// The last sequence of a change of channels only; zero for none.
    package var lastChannelOnlySequence = SequenceNumber.zero

    /// Whether collections were added, or changed their visibility or sync function.
    package var touchesCollections = false

    /// The last inserted document, until its channels are set.
    package var inserted: DocumentKey?

    /// The last channel looked up: most documents of a collection are in one.
    package var channel: (name: String, key: Int64)?

    /// The scopes whose documents changed. There are few of them, so a linear search costs less than hashing.
    package private(set) var scopes: [Scope] = []

    /// The channels in which documents were added, changed or removed; `nil` above the limit, or for a change that channels cannot describe.
    package private(set) var channels: Set<ChannelPlace>? = []

    /// The limit of listed channels. Above it, the commit wakes all followers.
    private static let channelsNamed = 64

    package init(sequence: SequenceNumber) {
        self.sequence = sequence
    }

    /// Records that a document with these flags entered (`step` 1) or left (-1) a scope.
    package mutating func count(_ flags: DocumentFlags, in scope: FeedScope, by step: Int64) {
        let number = scope.number
        var index = scopes.startIndex
        while index < scopes.endIndex, scopes[index].number != number { index += 1 }
        if index == scopes.endIndex { scopes.append(Scope(number: number)) }
        scopes[index].counts.add(flags, step)
    }

    /// Records a change of a scope's documents that does not change the counts, such as their channels.
    package mutating func touch(_ scope: FeedScope) {
        count([], in: scope, by: 0)
    }

    /// Records a change in a channel.
    package mutating func touch(_ channel: ChannelPlace) {
        channels?.insert(channel)
        if (channels?.count ?? 0) > Self.channelsNamed { channels = nil }
    }

    /// Records a change that may concern every follower, whatever its channels.
    package mutating func touchEveryone() {
        channels = nil
    }

    /// The pending change of a scope's counts.
    package func counts(_ scope: FeedScope) -> DocumentCounts? {
        scopes.first { $0.number == scope.number }?.counts
    }

    /// The commit as published to followers.
    package var commit: Commit {
        let unified = FeedScope.unified.number
        return Commit(
            sequence: sequence,
            touchesUnified: scopes.contains { $0.number == unified },
            collections: Set(scopes.filter { $0.number != unified }.map { CollectionKey($0.number) }), access: access,
            channels: channels)
    }
}
