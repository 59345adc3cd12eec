import Access
import Storage

/// The streams from which a feed is made for someone who may not see everything.
struct FeedPlan {
    let sources: [FeedSource]

    /// - Parameters:
    ///   - access: what may be seen of each collection that the feed covers.
    ///   - moves: the streams of moved documents that may concern the reader.
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
                    // By `*` branches come into sight of what was there before.
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

    /// What changed since, and, where access was granted since, what was there before.
    private static func sources(_ kind: FeedSource.Kind, granted: SequenceNumber, since: FeedPosition) -> [FeedSource] {
        backfill(kind, granted: granted, since: since)
            + [FeedSource(kind: kind, phase: .changes, after: max(since.settled, granted), before: nil)]
    }

    /// What was there before access was granted; nothing where it was granted before.
    private static func backfill(_ kind: FeedSource.Kind, granted: SequenceNumber, since: FeedPosition) -> [FeedSource] {
        guard granted > since.settled else { return [] }
        let after = since.trigger == granted ? since.sequence : .zero
        // The change that granted it may be a document of the channel itself.
        return [FeedSource(kind: kind, phase: .backfill(granted), after: after, before: SequenceNumber(granted.value + 1))]
    }

    /// What was lost since: a channel that was lost several times is told of once, at the last of them. Who begins anew is told of it again, because
    /// the device may have documents of it still. Nor does it matter which channels are asked for: a document may have left those, and have stayed in
    /// sight, and on the device, by the one that was lost.
    private static func revocations(_ access: ChannelAccess, _ collection: CollectionKey, since: FeedPosition) -> [FeedSource] {
        // Who sees everything by now has lost nothing.
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

    /// What has happened since in channels that were held then and are lost by now: what left those that are held again, and, for those who are told of no
    /// losses, what was deleted. The deletion may be what has taken the channel away.
    private static func whileHeld(_ access: ChannelAccess, _ collection: CollectionKey, _ query: ChangesQuery) -> [FeedSource] {
        // Who sees all that is asked for gets it as it is now, and losses tell the rest.
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

    /// The streams of the channels that were held before everything was, up to that grant. What goes back for the grant leaves out the documents that
    /// they bring.
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

    /// With access to everything, single channels may be asked for whose names nobody was granted.
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

/// One of the streams that a limited reader's feed is merged from.
struct FeedSource {
    enum Kind: Hashable {
        /// Every document of these collections.
        case collections(Set<CollectionKey>)
        /// The documents that are in a channel of a collection, or left it.
        case channel(String, CollectionKey)
        /// The documents that were moved out of a collection, for those who read that collection.
        case departures(CollectionKey)
        /// The documents that were moved out of a collection into another one, for those who read both.
        case crossings(CollectionKey)
        /// The documents that came back to a collection, or to the unified keyspace, after they had been moved out of it.
        case returns(CollectionKey)

        /// Whether its rows tell of moves, rather than of changes.
        var isOfMoves: Bool {
            switch self {
            case .collections, .channel: false
            case .departures, .crossings, .returns: true
            }
        }
    }

    enum Phase: Equatable {
        /// What has changed while the reader could see it.
        case changes
        /// What was there before access was granted at this sequence.
        case backfill(SequenceNumber)
        /// What can no longer be seen because access was lost at this sequence.
        case revocation(SequenceNumber)
        /// What has happened while the reader had access that is lost by now.
        case held
    }

    let kind: Kind
    let phase: Phase

    /// Rows behind this sequence.
    let after: SequenceNumber

    /// Rows before this sequence; `nil` for no end.
    let before: SequenceNumber?

    /// Where a row stands in the merged feed.
    func position(_ sequence: SequenceNumber) -> FeedPosition {
        switch phase {
        case .changes, .held: FeedPosition(sequence)
        case .backfill(let trigger), .revocation(let trigger): FeedPosition(sequence, trigger: trigger)
        }
    }
}

extension FeedSource: Comparable {
    /// The order of streams whose rows stand at one place. It depends on nothing else, so a feed is the same in batches of any length.
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
    /// The channel; of moves none.
    fileprivate var name: String {
        switch self {
        case .channel(let name, _): name
        case .collections: ChannelAccess.everything
        case .departures, .crossings, .returns: ""
        }
    }
}
