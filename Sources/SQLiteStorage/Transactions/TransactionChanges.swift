import Storage

/// What a transaction has changed that is not in the database yet: written once a commit rather than once a document.
struct TransactionChanges {
    /// What happened to a scope's documents.
    struct Scope {
        let number: Int64
        var counts = DocumentCounts()
    }

    /// The counter.
    var sequence: SequenceNumber

    /// Whose principals or grants changed.
    var access = AccessChange.none

    /// The last sequence at which a document came into a channel, or left it, without a change of its own; zero for none.
    var lastChannelOnlySequence = SequenceNumber.zero

    /// Whether collections came, or changed their visibility or their function.
    var touchesCollections = false

    /// The document that was inserted last, as long as it has no channels.
    var inserted: DocumentKey?

    /// The channel that was looked up last: most documents of a collection are in one.
    var channel: (name: String, key: Int64)?

    /// The scopes whose documents changed. They are few, so that searching them costs less than hashing.
    private(set) var scopes: [Scope] = []

    /// The channels in which documents came, changed or left; `nil` once they are too many, or the change is one that channels do not tell.
    private(set) var channels: Set<ChannelPlace>? = []

    /// More are not named: whoever follows is woken then.
    private static let channelsNamed = 64

    init(sequence: SequenceNumber) {
        self.sequence = sequence
    }

    /// Notes that a document with these flags came into a scope (`step` 1) or left it (-1).
    mutating func count(_ flags: DocumentFlags, in scope: FeedScope, by step: Int64) {
        let number = scope.number
        var index = scopes.startIndex
        while index < scopes.endIndex, scopes[index].number != number { index += 1 }
        if index == scopes.endIndex { scopes.append(Scope(number: number)) }
        scopes[index].counts.add(flags, step)
    }

    /// Notes that something of a scope's documents changed which is not counted: their channels.
    mutating func touch(_ scope: FeedScope) {
        count([], in: scope, by: 0)
    }

    /// Notes that a channel has something new for those who follow it.
    mutating func touch(_ channel: ChannelPlace) {
        channels?.insert(channel)
        if (channels?.count ?? 0) > Self.channelsNamed { channels = nil }
    }

    /// Notes a change that may concern those, too, whose channels have nothing new.
    mutating func touchEveryone() {
        channels = nil
    }

    /// What is to be added to a scope's counts.
    func counts(_ scope: FeedScope) -> DocumentCounts? {
        scopes.first { $0.number == scope.number }?.counts
    }

    /// What those who follow feeds are told.
    var commit: Commit {
        let unified = FeedScope.unified.number
        return Commit(
            sequence: sequence,
            touchesUnified: scopes.contains { $0.number == unified },
            collections: Set(scopes.filter { $0.number != unified }.map { CollectionKey($0.number) }), access: access,
            channels: channels)
    }
}
