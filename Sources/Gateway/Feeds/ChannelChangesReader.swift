import Access
import Documents
import Storage

/// Reads one batch of a changes feed for someone who may not see everything: their channels' feeds, merged.
///
/// It costs in proportion to what that reader gets, not to what the database holds.
struct ChannelChangesReader {
    let query: ChangesQuery
    let scope: FeedScope
    let visibility: Visibility
    let access: [CollectionKey: ChannelAccess]

    /// The collection that gives notice of documents that were moved out of it; `nil` for none.
    let departures: CollectionKey?

    /// What a device had seen that comes over from the legacy upstream.
    var upstream = UpstreamClientState()
    let change: (FeedRow) throws -> ChangeRow

    var snapshot: any StoreSnapshot { visibility.snapshot }

    /// The streams from which the batch is made.
    func plan() -> FeedPlan { FeedPlan(access, query, moves: moves) }

    func read() throws -> ChangesBatch {
        var merge = try merge()
        var rows: [ChangeRow] = []
        var lookup: DocumentRowReader?
        var position = query.since
        var scanned = 0
        // Behind a batch of rows that the reader is not told of, the feed goes on; a descending one has to come in one batch.
        while query.descending ? rows.count < query.limit : scanned < query.limit {
            guard let (next, entries) = try merge.next() else {
                let end = query.descending ? position : max(position, FeedPosition(try snapshot.lastSequence))
                return ChangesBatch(rows: rows, position: end, isCaughtUp: true)
            }
            scanned += 1
            position = next
            guard let row = try row(entries, at: next) else { continue }
            // Looked up only where a body would be sent twice.
            if row.isTombstoneRemoval, let key = row.document, let document = try snapshot.document(key) {
                let reader = lookup ?? DocumentRowReader(self)
                lookup = reader
                guard try !reader.rows(of: document, as: row.id).contains(where: { row.isSuperseded(by: $0) }) else { continue }
            }
            rows.append(row)
        }
        return ChangesBatch(rows: rows, position: position, isCaughtUp: false)
    }

    private func isAskedFor(_ row: ChangeRow) -> Bool {
        if query.activeOnly, row.isDeleted || row.isRemoval { return false }
        return query.isAskedFor(row.id)
    }

    /// The row of a document whose entries in some of the streams stand at one place; `nil` if the feed has none there.
    func row(_ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition) throws -> ChangeRow? {
        if !upstream.silent.isEmpty, upstream.silent.contains(position.description) { return nil }
        let entries = entries.count > 1 ? entries.sorted { $0.source < $1.source } : entries
        guard var row = try unfiltered(entries, at: position), isAskedFor(row) else { return nil }
        if let document = entries.first?.row.document { row.otherLeaves += try leavesInSight(beside: row, of: document) }
        return row
    }

    /// The branches that the reader sees of a document that it has lost otherwise: an app of 1.x goes on with them.
    ///
    /// A document that has changed since the loss brings none: a branch may have come after the loss, and no feed would tell that this branch has gone.
    private func leavesInSight(beside row: ChangeRow, of document: FeedRow) throws -> [String] {
        guard query.allLeaves, row.isRemoval, row.departure != .moved, document.flags.contains(.branched),
            row.trigger.map({ document.sequence <= $0 }) ?? true,
            let record = try snapshot.document(document.key)
        else { return [] }
        return try record.tree.leaves.map(\.id).filter { try $0.text != row.revision && visibility.sees($0, of: record) }.map(\.text)
    }

    private func unfiltered(_ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition) throws -> ChangeRow? {
        if let row = try inChannels(entries, at: position) { return row }
        // A document that was moved and stands in none of the reader's channels at that place.
        for (source, row) in entries where source.kind.isOfMoves {
            if let row = try moved(row, by: source.kind) { return row }
        }
        return nil
    }

    private func inChannels(_ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition) throws -> ChangeRow? {
        if try isHeld(entries) { return nil }
        // A change of access may take one channel and give another, of which one alone has something to tell.
        if let row = try inChannels(entries, at: position, hasLeft: false) { return row }
        return try inChannels(entries, at: position, hasLeft: true)
    }

    /// The row by a channel in which the document is, or by one that it has left.
    private func inChannels(
        _ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition, hasLeft: Bool
    ) throws -> ChangeRow? {
        for (source, row) in entries where (row.leftWith != nil) == hasLeft && !source.kind.isOfMoves {
            var result: ChangeRow?
            switch source.phase {
            case .changes: result = hasLeft ? try removal(row) : try change(row.document)
            case .backfill(let trigger) where hasLeft && row.document.sequence == trigger:
                // What gives the channel back is the document that leaves it: its reader may have it from the last time.
                result = try removal(row)
            case .backfill(let trigger): result = try backfill(row, trigger)
            case .revocation: result = try revocation(row, source)
            case .held: result = try whileHeld(row, source.kind)
            }
            result?.trigger = position.trigger
            if let result { return result }
        }
        return nil
    }

    /// Whether a device that comes over has a document as it is here: upstream had shown it so before the device's place, in a channel that the device had
    /// seen.
    private func isHeld(_ entries: [(source: FeedSource, row: ChannelRow)]) throws -> Bool {
        guard query.since.reached != nil, let row = entries.first?.row, entries.allSatisfy({ $0.source.phase == .changes }) else {
            return false
        }
        let isSeen = entries.contains { entry in
            guard entry.row.leftWith == nil, case .channel(let channel, _) = entry.source.kind else { return false }
            return upstream.channels.contains(ExactString(channel))
        }
        return try isSeen && wasShown(row.document.sequence)
    }

    /// Whether a device that comes over was told there that a document has left a channel.
    private func isKnown(_ entry: ChannelEntry) throws -> Bool {
        guard !entry.isCurrent, upstream.channels.contains(ExactString(entry.channel)) else { return false }
        if entry.leftUpstream != nil { return entry.isKnown(havingReached: query.since.reached) }
        return try entry.sequence(in: scope).map { try wasShown($0) } ?? false
    }

    /// Whether upstream had shown the document at a sequence as it is before the place of the device that comes over.
    private func wasShown(_ sequence: SequenceNumber) throws -> Bool {
        guard scope == .unified, let reached = query.since.reached else { return false }
        return try snapshot.upstreamOrdinal(at: sequence).map { $0 <= reached } ?? false
    }

    /// A document that was there before access was granted, unless it could be seen already by another channel.
    private func backfill(_ row: ChannelRow, _ trigger: SequenceNumber) throws -> ChangeRow? {
        guard row.leftWith == nil else { return nil }
        // With more channels, branches come into sight that are in others than what has won.
        if query.allLeaves, row.document.flags.contains(.branched) { return try change(row.document) }
        let channels = access[row.document.collection]?.channels ?? [:]
        let isKnown = try snapshot.channels(of: row.document.key).contains { entry in
            guard entry.isCurrent, let granted = entry.channel == ChannelAccess.everyone ? .zero : channels[entry.channel] else {
                return false
            }
            return granted < trigger && query.isAskedFor(channel: entry.channel)
        }
        return isKnown ? nil : try change(row.document)
    }

    /// A document that left a channel, where it was not to be seen by another one, and this is where it left the last of them.
    ///
    /// With its deletion it left for those, too, who take no other word that it is gone: that is told although it came into other channels later and
    /// left them, or another branch has won.
    private func removal(_ row: ChannelRow) throws -> ChangeRow? {
        let access = access[row.document.collection] ?? .publicOnly
        // Who sees everything by now has lost nothing; the document comes with what the grant goes back for.
        if access.seesEverything, query.channels == nil { return nil }
        let places = try snapshot.channels(of: row.document.key).filter { entry in
            try access.includes(anyOf: [entry.channel]) && query.isAskedFor(channel: entry.channel) && !isKnown(entry)
        }
        guard let leftWith = row.leftWith, places.contains(where: { $0.sequence(in: scope) == row.document.sequence }),
            !places.contains(where: \.isCurrent)
        else { return nil }
        // What left a channel before the reader had it is told by no row of that channel.
        let isLast = places.filter { $0.sequence(in: scope) ?? .zero >= access.grant(of: $0.channel) }
            .allSatisfy { ($0.sequence(in: scope) ?? .zero) <= row.document.sequence }
        let isDeletion = try isDeleted(leftWith, of: row.document)
        guard isLast || isDeletion else { return nil }
        let channels = places.filter { $0.sequence(in: scope) == row.document.sequence }.map { CollectionChannel.shown($0.channel) }
            .sorted()
        let isStillSeen = try query.channels != nil && visibility.sees(row.document.key, in: row.document.collection)
        // What was deleted since is not brought to life by the revision with which it had left.
        let isGone = isStillSeen && row.document.flags.contains(.deleted)
        let revision = isGone ? row.document.revision : isStillSeen || isDeletion ? leftWith : try lastDeparture(of: row, places)
        var notice = ChangeRow(
            sequence: row.document.sequence, id: row.document.id, revision: revision,
            isDeleted: try isDeletion || isDeleted(revision, of: row.document), departure: .removed(channels), bodySize: 0,
            document: row.document.key)
        notice.isStillSeen = isStillSeen
        return notice
    }

    /// A document that could be seen by a channel that was lost, and cannot be seen otherwise.
    private func revocation(_ row: ChannelRow, _ source: FeedSource) throws -> ChangeRow? {
        let collection = row.document.collection
        guard try mayHaveBeenSent(row.document.key, for: source.kind) else { return nil }
        guard case .channel(let channel, _) = source.kind else {
            let times = visibility.times(lost: ChannelAccess.everything, in: collection)
            guard try wasThere(row, in: times), try !visibility.sees(row.document.key, in: collection) else { return nil }
            return try revoked(row, [ChannelAccess.everything])
        }
        // Most documents of a channel that is held again are in it.
        if row.leftWith == nil, access[collection]?.channels[channel] != nil { return nil }
        // Whether a reader was told of what left before the loss depends on where its earlier batches ended: it is told with the loss.
        let stay = row.since..<max(row.since, row.leftWith == nil ? SequenceNumber(.max) : row.document.sequence)
        guard visibility.times(lost: channel, in: collection).contains(where: { $0.overlaps(stay) }),
            try !visibility.sees(row.document.key, in: collection)
        else { return nil }
        return try revoked(row, [channel])
    }

    /// A document that left a channel while the reader had it, which has it again, or that was deleted while the reader saw it by a channel that is lost by
    /// now. Without this word it would stay on the device as it was.
    private func whileHeld(_ row: ChannelRow, _ kind: FeedSource.Kind) throws -> ChangeRow? {
        let document = row.document
        let isSeen = try visibility.sees(document.key, in: document.collection)
        // Who is told of losses hears of what is out of sight by them.
        guard isSeen || !query.includesRevocations else { return nil }
        if row.leftWith != nil, let removal = try removal(row) { return removal }
        let revision = row.leftWith ?? document.revision
        guard try !isSeen && isDeleted(revision, of: document) && mayHaveBeenSent(document.key, for: kind) else { return nil }
        let channel = if case .channel(let channel, _) = kind { channel } else { ChannelAccess.everything }
        return ChangeRow(
            sequence: document.sequence, id: document.id, revision: revision, isDeleted: true,
            departure: .removed([CollectionChannel.shown(channel)]), bodySize: 0, document: document.key)
    }

    /// Whether a reader who asks for certain channels may have a document that was lost by another one: it has been in one of those.
    private func mayHaveBeenSent(_ document: DocumentKey, for lost: FeedSource.Kind) throws -> Bool {
        if query.channels == nil { return true }
        if case .channel(let channel, _) = lost, query.isAskedFor(channel: channel) { return true }
        return try snapshot.channels(of: document).contains { query.isAskedFor(channel: $0.channel) }
    }

    /// Whether a document was there at one of these times. Of one that has changed since, its channels alone tell.
    private func wasThere(_ row: ChannelRow, in times: [Range<SequenceNumber>]) throws -> Bool {
        if times.contains(where: { row.document.sequence < $0.upperBound }) { return true }
        return try snapshot.channels(of: row.document.key).contains { entry in
            times.contains { entry.since < $0.upperBound && (entry.isCurrent || entry.collectionSequence > $0.lowerBound) }
        }
    }

    private func revoked(_ row: ChannelRow, _ channels: [String]) throws -> ChangeRow {
        let revision = try row.leftWith == nil ? row.document.revision : lastDeparture(of: row)
        return ChangeRow(
            sequence: row.document.sequence, id: row.document.id, revision: revision, isDeleted: try isDeleted(revision, of: row.document),
            departure: .revoked(channels.map(CollectionChannel.shown)), bodySize: 0,
            document: row.document.key)
    }

    /// The revision with which a document left all that the reader had, which is the one that is answered with the word that it is gone. It may have left
    /// one channel before, and another that the reader has lost after that.
    ///
    /// - Parameter places: the document's places in all channels that the reader has; `nil` if they are not at hand.
    private func lastDeparture(of row: ChannelRow, _ places: [ChannelEntry]? = nil) throws -> String {
        if let places, query.channels == nil, upstream.channels.isEmpty, access[row.document.collection]?.lost.isEmpty == true {
            let last = places.max { $0.collectionSequence < $1.collectionSequence }
            return last?.leftWith ?? row.leftWith ?? row.document.revision
        }
        let removal = try snapshot.document(row.document.key).flatMap { try visibility.removal(of: $0) }
        return removal?.text ?? row.leftWith ?? row.document.revision
    }

    /// Whether a document left with its deletion. It may have come back since, elsewhere.
    private func isDeleted(_ revision: String, of row: FeedRow) throws -> Bool {
        guard row.revision != revision else { return row.flags.contains(.deleted) }
        guard let id = RevisionID(revision) else { return false }
        return try snapshot.document(row.key)?.tree.node(id)?.isDeleted ?? false
    }
}

extension ChannelAccess {
    /// When a channel came into sight that is in sight.
    fileprivate func grant(of channel: String) -> SequenceNumber {
        channel == Self.everyone ? .zero : [channels[channel], channels[Self.everything]].compactMap { $0 }.min() ?? .zero
    }
}
