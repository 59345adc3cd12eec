import Access
import Storage

/// The streams from which a feed is made for someone who may not see everything.
struct FeedPlan {
    let sources: [FeedSource]

    /// - Parameters:
    ///   - access: what may be seen of each collection that the feed covers.
    ///   - channels: the only channels that were asked for; `nil` for all.
    ///   - revocations: whether the reader wants to be told of what it can no longer see.
    ///   - moves: the streams of moved documents that may concern the reader.
    init(
        _ access: [CollectionKey: ChannelAccess], since: FeedPosition, channels: Set<String>?, revocations: Bool, moves: [FeedSource.Kind]
    ) {
        var sources = moves.map { FeedSource(kind: $0, phase: .changes, after: since.settled, before: nil) }
        var everything: [Sequence: Set<CollectionKey>] = [:]
        for (collection, access) in access {
            if let granted = access.channels[ChannelAccess.everything],
                channels == nil || channels?.contains(ChannelAccess.everything) == true
            {
                everything[granted, default: []].insert(collection)
                sources += Self.sources(before: granted, access, collection, since: since)
            } else {
                for (channel, granted) in Self.channels(of: access, asked: channels) {
                    sources += Self.sources(.channel(channel, collection), granted: granted, since: since)
                }
            }
            if revocations { sources += Self.revocations(access, collection, since: since) }
        }
        for (granted, collections) in everything {
            sources += Self.sources(.collections(collections), granted: granted, since: since)
        }
        self.sources = sources
    }

    /// What changed since, and, where access was granted since, what was there before.
    private static func sources(_ kind: FeedSource.Kind, granted: Sequence, since: FeedPosition) -> [FeedSource] {
        let settled = since.settled
        let changes = FeedSource(kind: kind, phase: .changes, after: max(settled, granted), before: nil)
        guard granted > settled else { return [changes] }
        let after = since.trigger == granted ? since.sequence : .zero
        // The change that granted it may be a document of the channel itself.
        return [FeedSource(kind: kind, phase: .backfill(granted), after: after, before: Sequence(granted.value + 1)), changes]
    }

    /// What was lost since: a channel that was lost several times is told of once, at the last of them. Who begins anew is told of it again, because
    /// the device may have documents of it still. Nor does it matter which channels are asked for: a document may have left those, and have stayed in
    /// sight, and on the device, by the one that was lost.
    private static func revocations(_ access: ChannelAccess, _ collection: CollectionKey, since: FeedPosition) -> [FeedSource] {
        var last: [String: Sequence] = [:]
        for lost in access.lost where lost.lost > since.settled {
            last[lost.channel] = max(lost.lost, last[lost.channel] ?? .zero)
        }
        return last.map { channel, lost in
            let kind = channel == ChannelAccess.everything ? FeedSource.Kind.collections([collection]) : .channel(channel, collection)
            return FeedSource(kind: kind, phase: .revocation(lost), after: since.trigger == lost ? since.sequence : .zero, before: nil)
        }
    }

    /// The streams of the channels that were held before everything was, up to that grant. What goes back for the grant leaves out the documents that
    /// they bring.
    private static func sources(
        before everything: Sequence, _ access: ChannelAccess, _ collection: CollectionKey, since: FeedPosition
    ) -> [FeedSource] {
        guard everything > since.settled else { return [] }
        var visible = access.channels
        visible[ChannelAccess.everyone] = .zero
        return visible.flatMap { channel, granted -> [FeedSource] in
            guard channel != ChannelAccess.everything, granted < everything else { return [] }
            let end = Sequence(everything.value + 1)
            return sources(.channel(channel, collection), granted: granted, since: since).map { source in
                FeedSource(kind: source.kind, phase: source.phase, after: source.after, before: min(source.before ?? end, end))
            }
        }
    }

    /// With access to everything, single channels may be asked for whose names nobody was granted.
    private static func channels(of access: ChannelAccess, asked: Set<String>?) -> [String: Sequence] {
        var visible = access.channels
        visible[ChannelAccess.everyone] = .zero
        guard let asked else { return visible }
        if let granted = visible[ChannelAccess.everything] {
            return Dictionary(asked.map { ($0, min(visible[$0] ?? granted, granted)) }) { first, _ in first }
        }
        return visible.filter { asked.contains($0.key) }
    }
}
