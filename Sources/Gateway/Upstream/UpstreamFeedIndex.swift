public import Documents
import Storage

/// Notes within one transaction what the legacy upstream shows in its feed.
///
/// The ordinals of two rows can be compared as long as both were read going forward. Numbers order themselves; what was noted behind the place where
/// reading goes on is forgotten, because a server that was restored from a backup gives these numbers to other changes. Opaque sequences are given ordinals in the order in which they
/// come, and when reading goes back to one of them, everything behind it is forgotten: a second reading may come by another way through CouchDB's
/// shards.
///
/// Of opaque sequences the latest are remembered. Which place an older one stood for is not made up from what is left: two readings of a cluster go through
/// its shards by different ways, so a sequence with a lower number need not lie before it. Who comes with one begins at the start.
struct UpstreamFeedIndex {
    /// Sequences that are forgotten at once, at most.
    private static let forgotten = 10_000

    let transaction: any StoreTransaction

    /// How many opaque sequences are remembered.
    var kept = DatabaseLimits().upstreamSequences

    /// A reading of the feed begins.
    func begin(_ source: String, since: UpstreamSequence?) throws {
        guard var record = try transaction.upstream(), record.source == source, let since, !since.isStart, since.isOpaque == record.isOpaque
        else { return try forget(source) }
        switch since.form {
        case .number(let reached, let ordinal):
            record.pulled = reached
            try transaction.setUpstream(record)
            // Who begins before what was noted reads that again, unless the server was restored from a backup and has it no more.
            try transaction.forgetShown(behind: ordinal)
        case .token(let digest, let count):
            guard let ordinal = try transaction.upstreamOrdinal(ofToken: digest) else { return try forget(source) }
            guard ordinal < record.ordinal else { return }
            try goBack(to: ordinal, count, &record)
            try transaction.setUpstream(record)
        }
    }

    /// The places of rows, in the order of the feed.
    func places(of rows: [UpstreamSequence], in source: String) throws -> [UpstreamPlace] {
        var places: [UpstreamPlace] = []
        places.reserveCapacity(rows.count)
        guard var record = try transaction.upstream(), record.source == source else { return [] }
        let known = record
        for row in rows {
            if row.isOpaque != record.isOpaque {
                // The first row tells; a later change means that another server has taken the place.
                try forget(source, isOpaque: row.isOpaque)
                record = try transaction.upstream() ?? record
            }
            switch row.form {
            case .number(_, let ordinal): places.append(UpstreamPlace(era: record.era, ordinal: ordinal))
            case .token(let digest, let count): places.append(try place(digest, count, &record))
            }
        }
        if record != known { try transaction.setUpstream(record) }
        try UpstreamHighSequence.note(rows.map(\.highest).max() ?? 0, in: transaction)
        if record.isOpaque { try transaction.forgetTokens(upTo: record.ordinal - Int64(kept), limit: Self.forgotten) }
        return places
    }

    private func place(_ digest: [UInt8], _ count: Int64, _ record: inout UpstreamRecord) throws -> UpstreamPlace {
        if let known = try transaction.upstreamOrdinal(ofToken: digest) {
            if known != record.ordinal { try goBack(to: known, count, &record) }
            return UpstreamPlace(era: record.era, ordinal: known)
        }
        // The feed goes back by itself when a cluster's shards move; to where, nobody says.
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
        // Ordinals are never given twice.
        next.ordinal = record.ordinal
        next.counted = count
        record = next
    }

    /// Notes that upstream shows these leaves; the document counts if it has no others here.
    ///
    /// - Parameter end: Up to where all rows have been dealt with, these included; `nil` if that is not known.
    func note(_ rows: [UpstreamRow], upTo end: UpstreamSequence? = nil) throws {
        guard var record = try transaction.upstream() else { return }
        let era = record.era
        let losses = try transaction.hasUpstreamLosses ? UpstreamRemovals(transaction: transaction) : nil
        for row in rows where row.place.era == era {
            guard let document = try transaction.document(unifiedID: row.id), let sequence = document.sequence else { continue }
            try losses?.arrived(document, as: row.id)
            guard document.tree.leaves.allSatisfy({ row.leaves.contains($0.id) }) else { continue }
            try transaction.recordUpstreamShown(sequence, ordinal: row.place.ordinal)
        }
        try transaction.advanceShownMark()
        guard !record.isOpaque, let pulled = end?.reached, pulled != record.pulled else { return }
        record.pulled = pulled
        try transaction.setUpstream(record)
    }

    private func forget(_ source: String, isOpaque: Bool = false) throws {
        let last = try transaction.upstream()
        try transaction.forgetShown(behind: -1)
        var record = UpstreamRecord(source: source, era: (last?.era ?? 0) + 1)
        record.isOpaque = isOpaque
        record.ordinal = last?.ordinal ?? 0
        try transaction.setUpstream(record)
    }
}

/// A row of the legacy upstream's feed: upstream has these leaves of a document at this place.
public struct UpstreamRow: Sendable {
    public let id: String
    public let leaves: [RevisionID]
    public let place: UpstreamPlace

    public init(id: String, leaves: [RevisionID], place: UpstreamPlace) {
        self.id = id
        self.leaves = leaves
        self.place = place
    }
}

/// The ordinal of a row in the legacy upstream's feed, valid for as long as what was noted of the feed is not forgotten.
public struct UpstreamPlace: Hashable, Sendable {
    let era: Int64
    let ordinal: Int64
}
