import Storage

/// Translates, in one snapshot, positions of the legacy upstream's feed into positions of this feed.
struct UpstreamTranslation {
    let snapshot: any StoreSnapshot

    /// The largest sequence F such that the client has every document at or below F: upstream has shown the document's current state at or before
    /// the client's position.
    ///
    /// - Returns: `nil` if the position is unknown, so that the client has to start at the beginning.
    func position(of sequence: UpstreamSequence) throws -> SequenceNumber? {
        guard let record = try snapshot.upstream() else { return nil }
        let ordinal: Int64
        switch sequence.form {
        case .number(let reached, _):
            guard !record.isOpaque, try UpstreamHighSequence.includes(sequence.highest, in: snapshot) else { return nil }
            ordinal = reached
        case .token(let digest, _):
            guard record.isOpaque, let found = try snapshot.upstreamOrdinal(ofToken: digest) else { return nil }
            ordinal = found
        }
        let unknown = [try snapshot.firstUnshown(), try snapshot.firstShown(behind: ordinal)].compactMap { $0 }.min()
        return try unknown.map { SequenceNumber($0.value - 1) } ?? snapshot.lastSequence
    }
}

/// The highest number that an old server is known to have reached, by its own report, by its feed, and by the checkpoints of its devices.
///
/// Numbers far below every origin are not stored. The value stays when the old server is replaced, because devices of the former one may still
/// connect.
enum UpstreamHighSequence {
    private static let setting = "upstream.reach"

    static func read(in snapshot: any StoreSnapshot) throws -> Int64 {
        try snapshot.setting(setting).flatMap { Int64($0) } ?? 0
    }

    static func record(_ number: Int64, in transaction: any StoreTransaction) throws {
        guard number >= SequenceNumber.newOrigin.value / 2, try number > read(in: transaction) else { return }
        try transaction.set(String(number), forSetting: setting)
    }

    /// Whether a number can be a position in an old server's feed. A number from the origin on, while every known server is far below, was issued
    /// here, by a store that has lost it.
    static func includes(_ number: Int64, in snapshot: any StoreSnapshot) throws -> Bool {
        try number < SequenceNumber.newOrigin.value || number / 2 <= read(in: snapshot)
    }
}
