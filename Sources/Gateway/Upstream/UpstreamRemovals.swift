import Access
import Storage

/// Records, within one transaction, which documents have left which channels on the legacy upstream.
///
/// A document arrives from upstream in its current state only: a deleted one without the body from which a sync function could derive its channels,
/// and one that left a channel without any notice. Upstream's feed shows the former channels, so that devices receive the removals here that they
/// did not receive there.
struct UpstreamRemovals {
    let transaction: any StoreTransaction

    /// Records the losses after a position that upstream has reported. The loss of a document that is not stored yet is recorded when it arrives.
    ///
    /// - Returns: The upper bound of the start position for a device at `place`, so that it receives all losses; `nil` if the translation of its
    ///   position suffices.
    func record(_ losses: [UpstreamVisibility.Loss], behind place: UpstreamSequence) throws -> SequenceNumber? {
        guard !losses.isEmpty else { return nil }
        let position = try Self.position(of: place, in: transaction)
        var latest: SequenceNumber?
        for loss in losses {
            guard let document = try transaction.document(unifiedID: loss.id) else {
                for channel in loss.channels.sorted() { try transaction.setUpstreamLoss(of: loss.id, from: channel, upstream: loss.number) }
                continue
            }
            // If the device is ahead of the pull, the document has its earlier state here, at a sequence before the device's position.
            let isAhead = document.sequence.map { $0 <= position } ?? false
            let sequence = isAhead ? try transaction.nextSequence() : nil
            if isAhead { latest = position }
            for channel in loss.channels.sorted() { try recordLoss(channel, document, at: sequence, upstream: loss.number) }
        }
        return latest
    }

    /// Whether the feed after a position sends the document to a device, or announces that it has left. Departures from before the grant are not
    /// announced.
    ///
    /// - Parameters:
    ///   - seen: The channels that the device had read.
    ///   - reached: The number of upstream's feed that the device had reached.
    static func isAnnounced(
        _ entries: [ChannelEntry], to access: ChannelAccess, having seen: Set<String>, upTo reached: Int64?, behind position: SequenceNumber
    ) -> Bool {
        access.seesEverything
            || entries.contains { entry in
                guard access.includes(anyOf: [entry.channel]), !entry.isKnown(havingReached: reached) else { return false }
                return entry.isCurrent || (seen.contains(entry.channel) && entry.sequence.map { $0 > position } ?? false)
            }
    }

    /// The current translation of an upstream position into the unified feed; zero if there is none.
    static func position(of place: UpstreamSequence, in snapshot: any StoreSnapshot) throws -> SequenceNumber {
        try UpstreamTranslation(snapshot: snapshot).position(of: place) ?? .zero
    }

    /// Applies recorded losses to a document that has arrived. Devices may have read on meanwhile, so the losses get a new sequence.
    func applyLosses(to document: DocumentRecord, as id: String) throws {
        let channels = try transaction.removeUpstreamLosses(of: id)
        guard !channels.isEmpty else { return }
        let sequence = try transaction.nextSequence()
        for (channel, number) in channels { try recordLoss(channel, document, at: sequence, upstream: number) }
    }

    private func recordLoss(_ channel: String, _ found: DocumentRecord, at sequence: SequenceNumber?, upstream number: Int64?) throws {
        var document = found
        if document.flags.insert(.inChannels).inserted { try transaction.update(document) }
        // Without a number, every device still has to receive the loss.
        try transaction.recordChannelLeft(channel, document, at: sequence, upstream: number ?? .max)
    }
}
