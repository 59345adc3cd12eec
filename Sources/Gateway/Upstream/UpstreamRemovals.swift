import Access
import Storage

/// Keeps, within one transaction, which documents have left which channels on the legacy upstream.
///
/// A document comes from there as it is now: a deleted one without the body by which a sync function would tell its channels, one that left a
/// channel without a word of it. Upstream's feed tells who was there, so that devices are told here which had not been told there.
struct UpstreamRemovals {
    let transaction: any StoreTransaction

    /// Notes what upstream told of documents that were lost behind a place. One that is not here yet is noted when it comes.
    ///
    /// - Returns: Where a device at the place goes on at the latest, to be told of all of them; `nil` if the translation of its place is good enough.
    func learn(_ losses: [UpstreamVisibility.Loss], behind place: UpstreamSequence) throws -> SequenceNumber? {
        guard !losses.isEmpty else { return nil }
        let position = try Self.position(of: place, in: transaction)
        var latest: SequenceNumber?
        for loss in losses {
            guard let document = try transaction.document(unifiedID: loss.id) else {
                for channel in loss.channels.sorted() { try transaction.setUpstreamLoss(of: loss.id, from: channel, upstream: loss.number) }
                continue
            }
            // Where the device is ahead of the pull, the document is here as it was before, and at a place that the device is past.
            let isAhead = document.sequence.map { $0 <= position } ?? false
            let sequence = isAhead ? try transaction.nextSequence() : nil
            if isAhead { latest = position }
            for channel in loss.channels.sorted() { try note(channel, document, at: sequence, upstream: loss.number) }
        }
        return latest
    }

    /// Whether the feed behind a place tells a device that a document is there, or has left. Of what left a channel before the device's user had it, it
    /// tells nothing.
    ///
    /// - Parameters:
    ///   - seen: The channels that the device had seen.
    ///   - reached: Up to which number of upstream's feed.
    static func isTold(
        _ entries: [ChannelEntry], to access: ChannelAccess, having seen: Set<String>, upTo reached: Int64?, behind position: SequenceNumber
    ) -> Bool {
        access.seesEverything
            || entries.contains { entry in
                guard access.includes(anyOf: [entry.channel]), !entry.isKnown(havingReached: reached) else { return false }
                return entry.isCurrent || (seen.contains(entry.channel) && entry.sequence.map { $0 > position } ?? false)
            }
    }

    /// The place in the unified feed from which a device goes on at the earliest.
    static func position(of place: UpstreamSequence, in snapshot: any StoreSnapshot) throws -> SequenceNumber {
        try UpstreamTranslation(snapshot: snapshot).position(of: place) ?? .zero
    }

    /// A document has come of which this was told before. Devices may have read on meanwhile, so this is behind all that they have read.
    func arrived(_ document: DocumentRecord, as id: String) throws {
        let channels = try transaction.removeUpstreamLosses(of: id)
        guard !channels.isEmpty else { return }
        let sequence = try transaction.nextSequence()
        for (channel, number) in channels { try note(channel, document, at: sequence, upstream: number) }
    }

    private func note(_ channel: String, _ found: DocumentRecord, at sequence: SequenceNumber?, upstream number: Int64?) throws {
        var document = found
        if document.flags.insert(.inChannels).inserted { try transaction.update(document) }
        // Without a number nobody is taken for told.
        try transaction.recordChannelLeft(channel, document, at: sequence, upstream: number ?? .max)
    }
}
