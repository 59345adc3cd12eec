import Access
import Storage

/// The sources that make up the feed of a reader with limited access.
struct FeedPlan {
    let sources: [FeedSource]

    /// - Parameters:
    ///   - access: the reader's access to each collection of the feed.
    ///   - moves: the sources of moved documents that may be relevant to the reader.
    init(_ access: [CollectionKey: ChannelAccess], _ query: ChangesQuery, moves: [FeedSource.Kind]) {
        let since = query.since
        var sources = moves.map { FeedSource(kind: $0, phase: .changes, after: since.settled, before: nil) }
        var everything: [SequenceNumber: Set<CollectionKey>] = [:]
        for (collection, access) in access {
            let granted = access.channels[ChannelAccess.everything]
            if let granted, query.isAskedFor(channel: ChannelAccess.everything) {
                everything[granted, default: []].insert(collection)
                sources += Self.sources(before: granted, access, collection, since: since)
            } else {
                for (channel, first) in Self.channels(of: access, asked: query.channels) {
                    sources += Self.sources(.channel(channel, collection), granted: first, since: since)
                    // The grant of `*` makes further branches of earlier documents visible.
                    guard query.allLeaves, let granted, first < granted else { continue }
                    sources += Self.backfill(.channel(channel, collection), granted: granted, since: since)
                }
            }
            guard !query.activeOnly else { continue }
            if query.includesRevocations { sources += Self.revocations(access, collection, since: since) }
            sources += Self.whileHeld(access, collection, query)
        }
        for (granted, collections) in everything {
            sources += Self.sources(.collections(collections), granted: granted, since: since)
        }
        self.sources = sources
    }

    /// The changes since the position, and a backfill if access was granted since.
    private static func sources(_ kind: FeedSource.Kind, granted: SequenceNumber, since: FeedPosition) -> [FeedSource] {
        backfill(kind, granted: granted, since: since)
            + [FeedSource(kind: kind, phase: .changes, after: max(since.settled, granted), before: nil)]
    }

    /// The documents from before a grant; empty if the grant is older than the position.
    private static func backfill(_ kind: FeedSource.Kind, granted: SequenceNumber, since: FeedPosition) -> [FeedSource] {
        guard granted > since.settled else { return [] }
        let after = since.trigger == granted ? since.sequence : .zero
        // The change that granted access may itself be a document of the channel.
        return [FeedSource(kind: kind, phase: .backfill(granted), after: after, before: SequenceNumber(granted.value + 1))]
    }

    /// The losses since the position. A channel that was lost several times yields one source, for the last loss.
    ///
    /// - A feed from the beginning includes all losses, because the device may still have documents of those channels.
    /// - The requested channels do not limit the losses: a document may have left a requested channel, and stayed on the device through the lost
    ///   channel.
    private static func revocations(_ access: ChannelAccess, _ collection: CollectionKey, since: FeedPosition) -> [FeedSource] {
        // A reader with access to everything has lost nothing.
        guard !access.seesEverything else { return [] }
        var last: [String: SequenceNumber] = [:]
        for lost in access.lost where lost.lost > since.settled {
            last[lost.channel] = max(lost.lost, last[lost.channel] ?? .zero)
        }
        return last.map { channel, lost in
            FeedSource(
                kind: kind(channel, collection), phase: .revocation(lost), after: since.trigger == lost ? since.sequence : .zero,
                before: nil)
        }
    }

    /// The events since the position in channels that have been lost since then: departures from channels that are granted again, and, for readers
    /// that do not request revocations, deletions. The deletion may itself be the loss of the channel.
    private static func whileHeld(_ access: ChannelAccess, _ collection: CollectionKey, _ query: ChangesQuery) -> [FeedSource] {
        // A reader with access to all requested channels receives the current state, and revocation rows cover the losses.
        let seesAll = access.seesEverything && query.isAskedFor(channel: ChannelAccess.everything)
        guard !seesAll, query.channels != nil || !query.includesRevocations else { return [] }
        let settled = query.since.settled
        let again = Set(channels(of: access, asked: query.channels).keys)
        return access.lost.filter { $0.lost > settled }.flatMap { lost in
            let left = lost.channel == ChannelAccess.everything ? again : again.intersection([lost.channel])
            var kinds = Set(left.map { FeedSource.Kind.channel($0, collection) })
            if !query.includesRevocations, !access.seesEverything { kinds.insert(kind(lost.channel, collection)) }
            return kinds.map { kind in
                FeedSource(kind: kind, phase: .held, after: max(lost.granted, settled), before: SequenceNumber(lost.lost.value + 1))
            }
        }
    }

    private static func kind(_ channel: String, _ collection: CollectionKey) -> FeedSource.Kind {
        channel == ChannelAccess.everything ? .collections([collection]) : .channel(channel, collection)
    }

    /// The sources of the channels that were granted before `*`, up to the grant of `*`. The backfill of that grant leaves out their documents.
    private static func sources(
        before everything: SequenceNumber, _ access: ChannelAccess, _ collection: CollectionKey, since: FeedPosition
    ) -> [FeedSource] {
        guard everything > since.settled else { return [] }
        var visible = access.channels
        visible[ChannelAccess.everyone] = .zero
        return visible.flatMap { channel, granted -> [FeedSource] in
            guard channel != ChannelAccess.everything, granted < everything else { return [] }
            let end = SequenceNumber(everything.value + 1)
            return sources(.channel(channel, collection), granted: granted, since: since).map { source in
                FeedSource(kind: source.kind, phase: source.phase, after: source.after, before: min(source.before ?? end, end))
            }
        }
    }

    /// With access to everything, a query may request channels that were granted to nobody.
    private static func channels(of access: ChannelAccess, asked: Set<String>?) -> [String: SequenceNumber] {
        var visible = access.channels
        visible[ChannelAccess.everyone] = .zero
        guard let asked else { return visible }
        if let granted = visible[ChannelAccess.everything] {
            return Dictionary(asked.map { ($0, min(visible[$0] ?? granted, granted)) }) { first, _ in first }
        }
        return visible.filter { asked.contains($0.key) }
    }
}

/// A source of rows for the merged feed of a reader with limited access.
struct FeedSource {
    enum Kind: Hashable {
        /// Every document of these collections.
        case collections(Set<CollectionKey>)
        /// The documents that are in a channel of a collection, or have left it.
        case channel(String, CollectionKey)
        /// The documents that were moved out of a collection, for readers of that collection.
        case departures(CollectionKey)
        /// The documents that were moved from a collection into another, for readers of the unified keyspace.
        case crossings(CollectionKey)
        /// The documents that were moved back to a collection or to the unified keyspace.
        case returns(CollectionKey)

        /// The channel; `nil` for other sources.
        var channel: ChannelPlace? {
            guard case .channel(let name, let collection) = self else { return nil }
            return ChannelPlace(name, in: collection)
        }

        /// Whether the rows stand for moves instead of changes.
        var isOfMoves: Bool {
            switch self {
            case .collections, .channel: false
            case .departures, .crossings, .returns: true
            }
        }
    }

    enum Phase: Hashable {
        /// Changes while the reader has access.
        case changes
        /// Documents from before the grant at this sequence.
        case backfill(SequenceNumber)
        /// Documents that became invisible by the loss of access at this sequence.
        case revocation(SequenceNumber)
        /// Changes during access that has been lost since.
        case held

        /// Whether the reader has access to the channel.
        var isOfAccess: Bool {
            switch self {
            case .changes, .backfill: true
            case .revocation, .held: false
            }
        }

        /// The position of a row in the merged feed.
        func position(_ sequence: SequenceNumber) -> FeedPosition {
            switch self {
            case .changes, .held: FeedPosition(sequence)
            case .backfill(let trigger), .revocation(let trigger): FeedPosition(sequence, trigger: trigger)
            }
        }
    }

    let kind: Kind
    let phase: Phase

    /// Exclusive lower bound.
    let after: SequenceNumber

    /// Exclusive upper bound; `nil` for none.
    let before: SequenceNumber?

    /// The position of a row in the merged feed.
    func position(_ sequence: SequenceNumber) -> FeedPosition { phase.position(sequence) }
}

extension FeedSource {
    /// Channels that are read from the same position on, for the same reason.
    struct Group: Hashable {
        let phase: Phase
        let after: SequenceNumber
        let before: SequenceNumber?
    }

    /// The group of a channel; `nil` for other sources.
    var group: Group? {
        guard case .channel = kind else { return nil }
        return Group(phase: phase, after: after, before: before)
    }
}

extension FeedSource: Comparable {
    /// The order of sources whose rows have the same position. It depends on the sources only, so that the feed does not depend on the batch size.
    static func < (a: FeedSource, b: FeedSource) -> Bool {
        a.rank == b.rank ? a.kind.name.utf8.lexicographicallyPrecedes(b.kind.name.utf8) : a.rank < b.rank
    }

    private var rank: Int {
        switch (kind, phase) {
        case (.returns, _): 0
        case (.departures, _): 1
        case (.crossings, _): 2
        case (.channel, .changes), (.channel, .backfill): 3
        case (_, .revocation): 4
        case (_, .held): 5
        case (.collections, .changes), (.collections, .backfill): 6
        }
    }
}

extension FeedSource.Kind {
    /// The channel's name; empty for moves.
    fileprivate var name: String {
        switch self {
        case .channel(let name, _): name
        case .collections: ChannelAccess.everything
        case .departures, .crossings, .returns: ""
        }
    }
}
