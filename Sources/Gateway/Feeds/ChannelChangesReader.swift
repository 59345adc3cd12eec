import Access
import Documents
import Storage

/// Reads one batch of a changes feed for a reader with limited access: the merged feeds of the reader's channels.
///
/// The cost is proportional to the reader's rows, not to the size of the database.
struct ChannelChangesReader {
    let query: ChangesQuery
    let scope: FeedScope
    let visibility: Visibility
    let access: [CollectionKey: ChannelAccess]

    /// The collection whose feed announces documents that were moved out of it; `nil` for none.
    let departures: CollectionKey?

    /// What the client had received from the legacy upstream, for a client that migrates from there.
    var upstream = UpstreamClientState()
    let change: (FeedRow) throws -> ChangeRow

    private let firstGrants = FirstGrants()

    var snapshot: any StoreSnapshot { visibility.snapshot }

    /// The sources of the batch.
    func plan() -> FeedPlan { FeedPlan(access, query, moves: moves) }

    func read() throws -> ChangesBatch {
        let length = length
        var merge = try merge(rows: length)
        var rows: [ChangeRow] = []
        var lookup: DocumentRowReader?
        var position = query.since
        var scanned = 0
        // The number of rows whose documents were looked up one by one.
        var lookups = 0
        // An ascending feed continues in the next batch after a page without rows for the reader; a descending feed has to fit in one batch.
        while query.descending ? rows.count < length : scanned < length {
            if scanned >= query.limit, lookups >= Self.fewLookups { break }
            guard let (next, entries) = try merge.next() else {
                let end = query.descending ? position : max(position, FeedPosition(try snapshot.lastSequence))
                return ChangesBatch(rows: rows, position: end, isCaughtUp: true)
            }
            scanned += 1
            if entries.contains(where: { $0.1.leftWith != nil || !$0.0.phase.isOfAccess }) { lookups += 1 }
            position = next
            guard let row = try row(entries, at: next) else { continue }
            // Looked up only where the same body would be sent twice.
            if row.isTombstoneRemoval, let key = row.document, let document = try snapshot.document(key) {
                let reader = lookup ?? DocumentRowReader(self)
                lookup = reader
                guard try !reader.rows(of: document, as: row.id).contains(where: { row.isSuperseded(by: $0) }) else { continue }
            }
            rows.append(row)
        }
        return ChangesBatch(rows: rows, position: position, isCaughtUp: false)
    }

    /// The number of rows with lookups after which a batch is not longer than requested, so that the read stays short.
    private static let fewLookups = 250

    /// The number of rows of a batch.
    private var length: Int {
        query.readsAhead && !query.descending ? max(query.limit, min(streams(of: access.values), ChangesQuery.longest)) : query.limit
    }

    /// The number of channels that the query reads.
    func streams(of access: some Collection<ChannelAccess>) -> Int {
        access.reduce(0) { $0 + (query.channels?.count ?? $1.channels.count) }
    }

    private func isAskedFor(_ row: ChangeRow) -> Bool {
        if query.activeOnly, row.isDeleted || row.isRemoval { return false }
        return query.isAskedFor(row.id)
    }

    /// The row of a document whose entries in some of the sources have the same position; `nil` if the feed has no row there.
    func row(_ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition) throws -> ChangeRow? {
        if !upstream.silent.isEmpty, upstream.silent.contains(position.description) { return nil }
        let entries = entries.count > 1 ? entries.sorted { $0.source < $1.source } : entries
        guard var row = try unfiltered(entries, at: position), isAskedFor(row) else { return nil }
        if let document = entries.first?.row.document { row.otherLeaves += try visibleLeaves(beside: row, of: document) }
        return row
    }

    /// The branches that stay visible to a reader who has lost access to the rest of the document; 1.x apps continue with them.
    ///
    /// Empty for a document that has changed since the loss: a branch may be newer than the loss, and no feed row would announce its removal.
    private func visibleLeaves(beside row: ChangeRow, of document: FeedRow) throws -> [String] {
        guard query.allLeaves, row.isRemoval, row.departure != .moved, document.flags.contains(.branched),
            row.trigger.map({ document.sequence <= $0 }) ?? true,
            let record = try snapshot.document(document.key)
        else { return [] }
        return try record.tree.leaves.map(\.id).filter { try $0.text != row.revision && visibility.sees($0, of: record) }.map(\.text)
    }

    private func unfiltered(_ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition) throws -> ChangeRow? {
        if let row = try inChannels(entries, at: position) { return row }
        // A moved document that is in none of the reader's channels at that position.
        for (source, row) in entries where source.kind.isOfMoves {
            if let row = try moved(row, by: source.kind) { return row }
        }
        return nil
    }

    private func inChannels(_ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition) throws -> ChangeRow? {
        if try isHeld(entries) { return nil }
        // A change of access may remove one channel and grant another, where only one of them yields a row.
        if let row = try inChannels(entries, at: position, hasLeft: false) { return row }
        return try inChannels(entries, at: position, hasLeft: true)
    }

    /// The row through a channel that contains the document, or through a channel that it has left.
    private func inChannels(
        _ entries: [(source: FeedSource, row: ChannelRow)], at position: FeedPosition, hasLeft: Bool
    ) throws -> ChangeRow? {
        for (source, row) in entries where (row.leftWith != nil) == hasLeft && !source.kind.isOfMoves {
            var result: ChangeRow?
            switch source.phase {
            case .changes: result = hasLeft ? try removal(row) : try change(row.document)
            case .backfill(let trigger) where hasLeft && row.document.sequence == trigger:
                // The document that leaves the channel is the change that grants the channel again: the reader may have it from the earlier grant.
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

    /// Whether a client that migrates from upstream has this state of a document: upstream sent it before the client's position, in a channel that
    /// the client had received.
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

    /// Whether upstream announced to the migrating client that a document had left a channel.
    private func isKnown(_ entry: ChannelEntry) throws -> Bool {
        guard !entry.isCurrent, upstream.channels.contains(ExactString(entry.channel)) else { return false }
        if entry.leftUpstream != nil { return entry.isKnown(havingReached: query.since.reached) }
        return try entry.sequence(in: scope).map { try wasShown($0) } ?? false
    }

    /// Whether upstream's feed had this state of the document before the migrating client's position.
    private func wasShown(_ sequence: SequenceNumber) throws -> Bool {
        guard scope == .unified, let reached = query.since.reached else { return false }
        return try snapshot.upstreamOrdinal(at: sequence).map { $0 <= reached } ?? false
    }

    /// The row for a document from before the grant, unless it was already visible through another channel.
    private func backfill(_ row: ChannelRow, _ trigger: SequenceNumber) throws -> ChangeRow? {
        guard row.leftWith == nil else { return nil }
        // Further channels make branches visible that are not in the winner's channels.
        if query.allLeaves, row.document.flags.contains(.branched) { return try change(row.document) }
        guard try firstGrants.of(row.document.collection, in: self) < trigger else { return try change(row.document) }
        let channels = access[row.document.collection]?.channels ?? [:]
        let isKnown = try snapshot.channels(of: row.document.key).contains { entry in
            guard entry.isCurrent, let granted = entry.channel == ChannelAccess.everyone ? .zero : channels[entry.channel] else {
                return false
            }
            return granted < trigger && query.isAskedFor(channel: entry.channel)
        }
        return isKnown ? nil : try change(row.document)
    }

    /// The row for a document that left a channel: only if no other channel shows it, and this was the last channel that it left.
    ///
    /// A departure by deletion always yields a row, for clients that accept no other removal notice. This holds even if the document later entered
    /// and left other channels, or another branch has won.
    private func removal(_ row: ChannelRow) throws -> ChangeRow? {
        let access = access[row.document.collection] ?? .publicOnly
        // A reader with access to everything has lost nothing; the backfill of the grant sends the document.
        if access.seesEverything, query.channels == nil { return nil }
        let places = try snapshot.channels(of: row.document.key).filter { entry in
            try access.includes(anyOf: [entry.channel]) && query.isAskedFor(channel: entry.channel) && !isKnown(entry)
        }
        guard let leftWith = row.leftWith, places.contains(where: { $0.sequence(in: scope) == row.document.sequence }),
            !places.contains(where: \.isCurrent)
        else { return nil }
        // No row of a channel announces a departure from before the grant.
        let isLast = places.filter { $0.sequence(in: scope) ?? .zero >= access.grant(of: $0.channel) }
            .allSatisfy { ($0.sequence(in: scope) ?? .zero) <= row.document.sequence }
        let isDeletion = try isDeleted(leftWith, of: row.document)
        guard isLast || isDeletion else { return nil }
        let channels = places.filter { $0.sequence(in: scope) == row.document.sequence }.map { CollectionChannel.shown($0.channel) }
            .sorted()
        let isStillSeen = try query.channels != nil && visibility.sees(row.document.key, in: row.document.collection)
        // The revision of the departure must not revive a document that has been deleted since.
        let isGone = isStillSeen && row.document.flags.contains(.deleted)
        let revision = isGone ? row.document.revision : isStillSeen || isDeletion ? leftWith : try lastDeparture(of: row, places)
        var notice = ChangeRow(
            sequence: row.document.sequence, id: row.document.id, revision: revision,
            isDeleted: try isDeletion || isDeleted(revision, of: row.document), departure: .removed(channels), bodySize: 0,
            document: row.document.key)
        notice.isStillSeen = isStillSeen
        return notice
    }

    /// The row for a document that was visible through a lost channel, and is not visible otherwise.
    private func revocation(_ row: ChannelRow, _ source: FeedSource) throws -> ChangeRow? {
        let collection = row.document.collection
        guard try mayHaveBeenSent(row.document.key, for: source.kind) else { return nil }
        guard case .channel(let channel, _) = source.kind else {
            let times = visibility.times(lost: ChannelAccess.everything, in: collection)
            guard try wasThere(row, in: times), try !visibility.sees(row.document.key, in: collection) else { return nil }
            return try revoked(row, [ChannelAccess.everything])
        }
        // A channel that is granted again contains most of its documents.
        if row.leftWith == nil, access[collection]?.channels[channel] != nil { return nil }
        // Whether the reader received earlier departures depends on where its batches ended, so the loss announces them as well.
        let stay = row.since..<max(row.since, row.leftWith == nil ? SequenceNumber(.max) : row.document.sequence)
        guard visibility.times(lost: channel, in: collection).contains(where: { $0.overlaps(stay) }),
            try !visibility.sees(row.document.key, in: collection)
        else { return nil }
        return try revoked(row, [channel])
    }

    /// The row for a document that changed during access that the reader has lost since: it left a channel that the reader has again, or was
    /// deleted while the lost channel showed it. Without this row the device would keep the document.
    private func whileHeld(_ row: ChannelRow, _ kind: FeedSource.Kind) throws -> ChangeRow? {
        let document = row.document
        let isSeen = try visibility.sees(document.key, in: document.collection)
        // Revocation rows announce invisible documents to readers that request them.
        guard isSeen || !query.includesRevocations else { return nil }
        if row.leftWith != nil, let removal = try removal(row) { return removal }
        let revision = row.leftWith ?? document.revision
        guard try !isSeen && isDeleted(revision, of: document) && mayHaveBeenSent(document.key, for: kind) else { return nil }
        let channel = if case .channel(let channel, _) = kind { channel } else { ChannelAccess.everything }
        return ChangeRow(
            sequence: document.sequence, id: document.id, revision: revision, isDeleted: true,
            departure: .removed([CollectionChannel.shown(channel)]), bodySize: 0, document: document.key)
    }

    /// Whether a reader that requests certain channels may have a document that a lost channel showed: the document has been in one of them.
    private func mayHaveBeenSent(_ document: DocumentKey, for lost: FeedSource.Kind) throws -> Bool {
        if query.channels == nil { return true }
        if case .channel(let channel, _) = lost, query.isAskedFor(channel: channel) { return true }
        return try snapshot.channels(of: document).contains { query.isAskedFor(channel: $0.channel) }
    }

    /// Whether a document was in the collection during one of these periods. For a document that has changed since, only its channel entries show
    /// this.
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

    /// The revision with which the document left the last of the reader's channels; a request for it gets a removal as the reply. The document may
    /// have left one channel earlier, and later another channel that the reader has lost.
    ///
    /// - Parameter places: the document's entries in all of the reader's channels; `nil` if they have not been read.
    private func lastDeparture(of row: ChannelRow, _ places: [ChannelEntry]? = nil) throws -> String {
        if let places, query.channels == nil, upstream.channels.isEmpty, access[row.document.collection]?.lost.isEmpty == true {
            let last = places.max { $0.collectionSequence < $1.collectionSequence }
            return last?.leftWith ?? row.leftWith ?? row.document.revision
        }
        let removal = try snapshot.document(row.document.key).flatMap { try visibility.removal(of: $0) }
        return removal?.text ?? row.leftWith ?? row.document.revision
    }

    /// Whether a document left by deletion. It may be live again in another channel.
    private func isDeleted(_ revision: String, of row: FeedRow) throws -> Bool {
        guard row.revision != revision else { return row.flags.contains(.deleted) }
        guard let id = RevisionID(revision) else { return false }
        return try snapshot.document(row.key)?.tree.node(id)?.isDeleted ?? false
    }
}

extension ChannelAccess {
    /// The sequence of the grant that shows a channel.
    fileprivate func grant(of channel: String) -> SequenceNumber {
        channel == Self.everyone ? .zero : [channels[channel], channels[Self.everything]].compactMap { $0 }.min() ?? .zero
    }
}

/// The first grants of a batch's reader, each looked up once.
private final class FirstGrants {
    private var known: [CollectionKey: SequenceNumber] = [:]

    /// The sequence of the first grant of a channel in a collection: documents from before a later grant may have been visible.
    func of(_ collection: CollectionKey, in reader: ChannelChangesReader) throws -> SequenceNumber {
        if let first = known[collection] { return first }
        let everyone = ExactString(ChannelAccess.everyone)
        let grants = reader.access[collection]?.channels.lazy.filter { reader.query.isAskedFor(channel: $0.key) }.map(\.value).min()
        let isPublic = try reader.snapshot.channelKeys([everyone])[everyone] != nil
        let first = isPublic ? .zero : grants ?? SequenceNumber(.max)
        known[collection] = first
        return first
    }
}
