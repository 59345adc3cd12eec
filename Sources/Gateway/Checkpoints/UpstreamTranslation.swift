import Storage

/// Finds out, in one snapshot, where in our feed a client goes on that comes from the legacy upstream.
struct UpstreamTranslation {
    let snapshot: any StoreSnapshot

    /// The largest sequence F such that the client has every document at or below F: upstream has shown it to be in its present state at or
    /// before the client's place.
    ///
    /// - Returns: `nil` if the place cannot be told, so that the client has to begin anew.
    func position(of sequence: UpstreamSequence) throws -> Sequence? {
        guard let record = try snapshot.upstream() else { return nil }
        let ordinal: Int64
        switch sequence.form {
        case .number(let reached, _):
            guard !record.isOpaque, try UpstreamReach.includes(sequence.highest, in: snapshot) else { return nil }
            ordinal = reached
        case .token(let digest, _):
            guard record.isOpaque, let found = try snapshot.upstreamOrdinal(ofToken: digest) else { return nil }
            ordinal = found
        }
        let unknown = [try snapshot.firstUnshown(), try snapshot.firstShown(behind: ordinal)].compactMap { $0 }.min()
        return try unknown.map { Sequence($0.value - 1) } ?? snapshot.lastSequence
    }
}
