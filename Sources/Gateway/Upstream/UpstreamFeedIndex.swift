package import Documents
import Storage

/// Records, within one transaction, the positions of documents in the legacy upstream's feed.
///
/// The ordinals of two rows are comparable as long as both were read in forward order.
///
/// - Numbers are ordinals themselves. Records after the position where a read resumes are removed, because a server that was restored from a backup
///   assigns these numbers to other changes.
/// - Opaque sequences get ordinals in the order of their arrival. When the read goes back to one of them, all later records are removed: a second
///   read may pass CouchDB's shards in another order.
///
/// Only the latest opaque sequences are stored. An older one is not approximated by the remaining ones: two reads of a cluster pass its shards in
/// different orders, so a sequence with a lower number need not come before. A client with an unknown sequence starts at the beginning.
struct UpstreamFeedIndex {
    /// The maximum number of sequences that are removed at once.
    private static let forgotten = 10_000

    /// The setting with the opaque position up to which all rows have been processed. Records of sequences have only digests.
    private static let pulledSetting = "upstream.pulled"

    let transaction: any StoreTransaction

    /// The number of opaque sequences that are stored.
    var kept = DatabaseLimits().upstreamSequences

    /// Begins a read of the feed.
    func begin(_ source: String, since: UpstreamSequence?) throws {
        try goOn(source, since: since)
        if let since, since.isOpaque { try transaction.set(since.text, forSetting: Self.pulledSetting) }
    }

    private func goOn(_ source: String, since: UpstreamSequence?) throws {
        guard var record = try transaction.upstream(), record.source == source, let since, !since.isStart, since.isOpaque == record.isOpaque
        else { return try forget(source, isOpaque: since?.isOpaque ?? false) }
        switch since.form {
        case .number(let reached, let ordinal):
            record.pulled = reached
            try transaction.setUpstream(record)
            // A read that begins before recorded rows reads them again, unless the server was restored from a backup and has lost them.
            try transaction.forgetShown(behind: ordinal)
        case .token(let digest, let count):
            guard let ordinal = try transaction.upstreamOrdinal(ofToken: digest) else { return try forget(source, isOpaque: true) }
            guard ordinal < record.ordinal else { return }
            try goBack(to: ordinal, count, &record)
            try transaction.setUpstream(record)
        }
    }

    /// The ordinals of rows in feed order.
    func places(of rows: [UpstreamSequence], in source: String) throws -> [UpstreamPlace] {
        var places: [UpstreamPlace] = []
        places.reserveCapacity(rows.count)
        guard var record = try transaction.upstream(), record.source == source else { return [] }
        let known = record
        for row in rows {
            if row.isOpaque != record.isOpaque {
                // The first row determines the form; a later change means that another server has replaced the first.
                try forget(source, isOpaque: row.isOpaque)
                record = try transaction.upstream() ?? record
            }
            switch row.form {
            case .number(_, let ordinal): places.append(UpstreamPlace(era: record.era, ordinal: ordinal))
            case .token(let digest, let count): places.append(try place(digest, count, &record))
            }
        }
        if record != known { try transaction.setUpstream(record) }
        try UpstreamHighSequence.record(rows.map(\.highest).max() ?? 0, in: transaction)
        if record.isOpaque { try transaction.forgetTokens(upTo: record.ordinal - Int64(kept), limit: Self.forgotten) }
        return places
    }

    private func place(_ digest: [UInt8], _ count: Int64, _ record: inout UpstreamRecord) throws -> UpstreamPlace {
        if let known = try transaction.upstreamOrdinal(ofToken: digest) {
            if known != record.ordinal { try goBack(to: known, count, &record) }
            return UpstreamPlace(era: record.era, ordinal: known)
        }
        // The feed goes back by itself when a cluster's shards move, to an unknown position.
        if count < record.counted { try goBack(to: 0, count, &record) }
        record.ordinal += 1
        record.counted = count
        try transaction.recordUpstreamToken(digest, ordinal: record.ordinal)
        return UpstreamPlace(era: record.era, ordinal: record.ordinal)
    }

    private func goBack(to ordinal: Int64, _ count: Int64, _ record: inout UpstreamRecord) throws {
        try transaction.forgetShown(behind: ordinal)
        var next = UpstreamRecord(source: record.source, era: record.era + 1)
        next.isOpaque = record.isOpaque
        // Ordinals are never reused.
        next.ordinal = record.ordinal
        next.counted = count
        record = next
    }

    /// Records that upstream has these leaves; a document counts if it has no other leaves here.
    ///
    /// - Parameter end: The position up to which all rows have been processed, including these; `nil` if unknown.
    func record(_ rows: [UpstreamRow], upTo end: UpstreamSequence? = nil) throws {
        guard var record = try transaction.upstream() else { return }
        let era = record.era
        let losses = try transaction.hasUpstreamLosses ? UpstreamRemovals(transaction: transaction) : nil
        for row in rows where row.place.era == era {
            guard let document = try transaction.document(unifiedID: row.id), let sequence = document.sequence else { continue }
            try losses?.applyLosses(to: document, as: row.id)
            guard document.tree.leaves.allSatisfy({ row.leaves.contains($0.id) }) else { continue }
            try transaction.recordUpstreamShown(sequence, ordinal: row.place.ordinal)
        }
        try transaction.advanceShownMark()
        guard let end, end.isOpaque == record.isOpaque else { return }
        guard let pulled = end.reached else { return try transaction.set(end.text, forSetting: Self.pulledSetting) }
        guard pulled != record.pulled else { return }
        record.pulled = pulled
        try transaction.setUpstream(record)
    }

    /// The position up to which all rows have been processed; `nil` if it is unknown.
    static func pulled(in snapshot: any StoreSnapshot) throws -> UpstreamSequence? {
        guard let record = try snapshot.upstream() else { return nil }
        let text = record.isOpaque ? try snapshot.setting(pulledSetting) : String(record.pulled)
        return text.map { UpstreamSequence($0) }
    }

    private func forget(_ source: String, isOpaque: Bool = false) throws {
        let last = try transaction.upstream()
        try transaction.forgetShown(behind: -1)
        try transaction.set(nil, forSetting: Self.pulledSetting)
        var record = UpstreamRecord(source: source, era: (last?.era ?? 0) + 1)
        record.isOpaque = isOpaque
        record.ordinal = last?.ordinal ?? 0
        try transaction.setUpstream(record)
    }
}

/// A row of the legacy upstream's feed: upstream has these leaves of a document at this position.
package struct UpstreamRow: Sendable {
    package let id: String
    package let leaves: [RevisionID]
    package let place: UpstreamPlace

    package init(id: String, leaves: [RevisionID], place: UpstreamPlace) {
        self.id = id
        self.leaves = leaves
        self.place = place
    }
}

/// The ordinal of a row in the legacy upstream's feed, valid until the feed's records are removed.
package struct UpstreamPlace: Hashable, Sendable {
    let era: Int64
    let ordinal: Int64
}
