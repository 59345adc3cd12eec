import Storage

/// The highest number that an old server is known to have come to: by what it says of itself, by its feed, and by the checkpoints that devices bring
/// from there. Of numbers that are far below every origin nothing is kept. It stays when the old server is another one, whose devices may still come.
enum UpstreamReach {
    private static let setting = "upstream.reach"

    static func read(in snapshot: any StoreSnapshot) throws -> Int64 {
        try snapshot.setting(setting).flatMap { Int64($0) } ?? 0
    }

    static func note(_ number: Int64, in transaction: any StoreTransaction) throws {
        guard number >= Sequence.newOrigin.value / 2, try number > read(in: transaction) else { return }
        try transaction.set(String(number), forSetting: setting)
    }

    /// Whether a number can be a place in an old server's feed. One as high as ours are, of a server that is known to be far below, was given out here,
    /// by a store that has not got it any more.
    static func includes(_ number: Int64, in snapshot: any StoreSnapshot) throws -> Bool {
        try number < Sequence.newOrigin.value || number / 2 <= read(in: snapshot)
    }
}

extension Keyspace {
    /// Notes the last sequence of which the legacy upstream has told.
    public func noteUpstreamReach(_ number: Int64) async throws {
        // Nearly every server's is far below, which needs no transaction.
        guard number >= Sequence.newOrigin.value / 2 else { return }
        try await store.write { try UpstreamReach.note(number, in: $0) }
    }
}
