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
