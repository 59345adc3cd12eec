import Documents
import Storage

/// The progress of a replication of one collection: the body of a checkpoint (docs/protocol/modern-2x.md#checkpoint-body).
struct ReplicationCheckpoint: Sendable, Hashable {
    /// The local sequences that have been pushed.
    var local = SequenceSet()

    /// The server's last sequence up to which everything has been pulled, as JSON; `nil` for none.
    var remote: String?

    /// The restores of the local store when this was written.
    var restores = RestoreHistory()

    init(local: SequenceSet = SequenceSet(), remote: String? = nil, restores: RestoreHistory = RestoreHistory()) {
        self.local = local
        self.remote = remote
        self.restores = restores
    }

    /// Reads a checkpoint.
    ///
    /// - Throws: ``JSONError`` if the body is malformed.
    init(_ body: [UInt8]) throws {
        var end: Int64 = 0
        var flat: [Int64] = []
        var restores: [Int64] = []
        var remote: String?
        try JSONReader.read(body) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                if key == "local", value.kind == .number {
                    end = Int64(try value.int())
                } else if key == "localCompleted", value.kind == .array {
                    try value.array { flat.append(Int64(try $0.int())) }
                } else if key == "restores", value.kind == .array {
                    try value.array { restores.append(Int64(try $0.int())) }
                } else if key == "remote", !value.isNull {
                    remote = String(decoding: try value.raw(), as: UTF8.self)
                }
            }
        }
        self.remote = remote
        self.restores = RestoreHistory(numbers: restores)
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
        if !restores.isEmpty {
            body.append(contentsOf: ",\"restores\":[\(restores.numbers.map(String.init).joined(separator: ","))]".utf8)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }
}

extension ReplicationCheckpoint {
    /// The start of the next replication, from the checkpoints of both sides: the intersection of their pushed sequences, and the lower
    /// remote sequence.
    ///
    /// A server with a lower checkpoint has lost data, or never received the last save. A higher checkpoint of the server is ignored. Each
    /// half is compared separately, and both halves regardless of the replication's direction: a push and a pull may share one checkpoint
    /// (docs/protocol/modern-2x.md#checkpoint-ids). Otherwise one of them could save, on a server that was restored from a backup, progress
    /// of the other that the server has lost.
    ///
    /// Nothing counts as pushed if the server's checkpoint is from before another restore of this store. Its later sequences belong to other changes, and
    /// its earlier ones prove nothing: a document that lived in another collection in the lost time has returned to this one, and the server may
    /// have been restored, too. Everything is then proposed once; only missing revisions are sent.
    ///
    /// - Parameters:
    ///   - server: The server's checkpoint; `nil` if it has none.
    ///   - refused: Sequences that the server has refused, which its checkpoint never includes.
    func reconciled(with server: ReplicationCheckpoint?, refused: [Int64] = []) -> ReplicationCheckpoint {
        var pushed = server?.local ?? SequenceSet()
        if let server, restores.shared(with: server.restores) != nil { pushed = SequenceSet() }
        if server != nil { for sequence in refused { pushed.insert(sequence) } }
        return ReplicationCheckpoint(local: local.intersection(pushed), remote: Self.lower(remote, server?.remote), restores: restores)
    }

    /// The checkpoint to save on the server, without the sequences that it has refused.
    func without(_ refused: [Int64]) -> ReplicationCheckpoint {
        var copy = self
        for sequence in refused { copy.local.remove(sequence) }
        return copy
    }

    /// This checkpoint, with the half that a replication of `type` does not maintain replaced by the other's.
    func merged(with other: ReplicationCheckpoint, type: ReplicatorType) -> ReplicationCheckpoint {
        ReplicationCheckpoint(local: type.pushes ? local : other.local, remote: type.pulls ? remote : other.remote, restores: restores)
    }

    private static func lower(_ local: String?, _ server: String?) -> String? {
        guard let local, let server, local != server else { return server == nil ? nil : local }
        guard let a = RemoteSequence(local), let b = RemoteSequence(server) else { return nil }
        return b < a ? server : local
    }
}
