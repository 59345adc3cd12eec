extension ReplicationCheckpoint {
    /// Where to go on, from what both sides remember: what has been pushed by both accounts, and the lower place in the server's feed.
    ///
    /// A server that remembers less has lost data, or never got the last save; one that remembers more is not believed. Each half is
    /// judged alone, and both whichever way the replication goes: two replications, one a push and one a pull, may share the checkpoint
    /// (docs/protocol/modern-2x.md#checkpoint-ids), and the one must not tell a server that was restored from a backup what it has lost of the
    /// other.
    ///
    /// - Parameters:
    ///   - server: What the server keeps; `nil` if it has nothing.
    ///   - refused: What it has refused, and is not told that it has.
    func reconciled(with server: ReplicationCheckpoint?, refused: [Int64] = []) -> ReplicationCheckpoint {
        var pushed = server?.local ?? SequenceSet()
        if server != nil { for sequence in refused { pushed.insert(sequence) } }
        return ReplicationCheckpoint(local: local.intersection(pushed), remote: Self.lower(remote, server?.remote))
    }

    /// What the server is to keep: not that it has what it has refused.
    func without(_ refused: [Int64]) -> ReplicationCheckpoint {
        var copy = self
        for sequence in refused { copy.local.remove(sequence) }
        return copy
    }

    /// This checkpoint with the half that a replication of `type` does not keep taken from another.
    func merged(with other: ReplicationCheckpoint, type: ReplicatorType) -> ReplicationCheckpoint {
        ReplicationCheckpoint(local: type.pushes ? local : other.local, remote: type.pulls ? remote : other.remote)
    }

    private static func lower(_ local: String?, _ server: String?) -> String? {
        guard let local, let server, local != server else { return server == nil ? nil : local }
        guard let a = RemoteSequence(local), let b = RemoteSequence(server) else { return nil }
        return b < a ? server : local
    }
}
