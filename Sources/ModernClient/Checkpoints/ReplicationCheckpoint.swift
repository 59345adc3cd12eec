import Documents

/// How far a replication of one collection has come: the body of a checkpoint (docs/protocol/modern-2x.md#checkpoint-body).
struct ReplicationCheckpoint: Sendable, Hashable {
    /// What has been pushed.
    var local = SequenceSet()

    /// The last sequence of the server's up to which all is here, as JSON; `nil` for none.
    var remote: String?

    init(local: SequenceSet = SequenceSet(), remote: String? = nil) {
        self.local = local
        self.remote = remote
    }

    /// Reads a checkpoint.
    ///
    /// - Throws: ``JSONError`` if it is none.
    init(_ body: [UInt8]) throws {
        var end: Int64 = 0
        var flat: [Int64] = []
        var remote: String?
        try JSONReader.read(body) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                if key == "local", value.kind == .number {
                    end = Int64(try value.int())
                } else if key == "localCompleted", value.kind == .array {
                    try value.array { flat.append(Int64(try $0.int())) }
                } else if key == "remote", !value.isNull {
                    remote = String(decoding: try value.raw(), as: UTF8.self)
                }
            }
        }
        self.remote = remote
        var ranges: [ClosedRange<Int64>] = [0...max(end, 0)]
        for index in stride(from: 0, to: flat.count - 1, by: 2) where flat[index] >= 0 && flat[index + 1] > 0 {
            let (last, isOver) = flat[index].addingReportingOverflow(flat[index + 1] - 1)
            if !isOver { ranges.append(flat[index]...last) }
        }
        local = SequenceSet(ranges: ranges)
    }

    /// The JSON object.
    ///
    /// - Parameter time: Seconds since 1970.
    func body(time: Int) -> [UInt8] {
        var body: [UInt8] = []
        JSONWriter.append(raw: "{\"time\":", to: &body)
        JSONWriter.append(time, to: &body)
        if local.end > 0 {
            JSONWriter.append(raw: ",\"local\":", to: &body)
            JSONWriter.append(Int(local.end), to: &body)
        }
        if local.ranges.count > 1 {
            JSONWriter.append(raw: ",\"localCompleted\":[", to: &body)
            for (index, range) in local.ranges.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                JSONWriter.append(Int(range.lowerBound), to: &body)
                body.append(UInt8(ascii: ","))
                JSONWriter.append(range.count, to: &body)
            }
            body.append(UInt8(ascii: "]"))
        }
        if let remote {
            JSONWriter.append(raw: ",\"remote\":", to: &body)
            body.append(contentsOf: remote.utf8)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }
}

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
