import Storage

/// Finds out, in one snapshot, where in our feed a client goes on that comes from the legacy upstream.
struct UpstreamTranslation {
    let snapshot: any StoreSnapshot

    /// The largest sequence F such that the client has every document at or below F: upstream has shown it to be in its present state at or
    /// before the client's place.
    ///
    /// - Returns: `nil` if the place cannot be told, so that the client has to begin anew.
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

/// The highest number that an old server is known to have come to: by what it says of itself, by its feed, and by the checkpoints that devices bring
/// from there. Of numbers that are far below every origin nothing is kept. It stays when the old server is another one, whose devices may still come.
enum UpstreamHighSequence {
    private static let setting = "upstream.reach"

    static func read(in snapshot: any StoreSnapshot) throws -> Int64 {
        try snapshot.setting(setting).flatMap { Int64($0) } ?? 0
    }

    static func note(_ number: Int64, in transaction: any StoreTransaction) throws {
        guard number >= SequenceNumber.newOrigin.value / 2, try number > read(in: transaction) else { return }
        try transaction.set(String(number), forSetting: setting)
    }

    /// Whether a number can be a place in an old server's feed. One as high as ours are, of a server that is known to be far below, was given out here,
    /// by a store that has not got it any more.
    static func includes(_ number: Int64, in snapshot: any StoreSnapshot) throws -> Bool {
        try number < SequenceNumber.newOrigin.value || number / 2 <= read(in: snapshot)
    }
}
