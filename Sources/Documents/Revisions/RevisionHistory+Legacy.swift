/// 1.x and CouchDB: `"_revisions": {"start": 3, "ids": ["c", "b", "a"]}`, generations descending by one.
extension RevisionHistory {
    /// Reads the value of `_revisions`.
    ///
    /// - Throws: ``DocumentError`` `badRevisions`; ``JSONError`` where the text is no JSON.
    public static func read(_ reader: inout JSONReader) throws -> [RevisionID] {
        guard reader.kind == .object else {
            try reader.skip()
            throw bad("an object with start and ids is expected")
        }
        var start: Int?
        var digests: [JSONDigest] = []
        try reader.object { key, value in
            if key == "start" {
                guard value.kind == .number, let number = try? value.int() else { throw bad("start must be a whole number") }
                start = number
            } else if key == "ids" {
                guard value.kind == .array else { throw bad("ids must be an array") }
                try value.array { element in
                    guard element.kind == .string else { throw bad("ids must be strings") }
                    guard digests.count < RevisionTree.maximumHistoryCount else { throw bad("too many ids") }
                    let (raw, isEscaped) = try element.rawString()
                    digests.append(JSONDigest(raw: raw, isEscaped: isEscaped))
                }
            }
        }
        guard let start, 1...RevisionID.maximumGeneration ~= start else { throw bad("start must be a generation") }
        guard 1...start ~= digests.count else { throw bad("\(digests.count) ids for generation \(start)") }
        var history: [RevisionID] = []
        history.reserveCapacity(digests.count)
        for (index, digest) in digests.enumerated() {
            guard let id = digest.revision(generation: start - index) else { throw bad("malformed id at place \(index)") }
            history.append(id)
        }
        return history
    }

    /// Appends the value of `_revisions`. Where the history leaves out a generation it is cut, because this form can't say so.
    public static func append(_ history: [RevisionID], to bytes: inout [UInt8]) {
        let start = history.first?.generation ?? 0
        JSONWriter.append(raw: "{\"start\":", to: &bytes)
        JSONWriter.append(start, to: &bytes)
        JSONWriter.append(raw: ",\"ids\":[", to: &bytes)
        for (index, id) in history.enumerated() {
            guard id.generation == start - index else { break }
            if index > 0 { bytes.append(0x2c) }
            JSONWriter.append(digestOf: id, to: &bytes)
        }
        JSONWriter.append(raw: "]}", to: &bytes)
    }

    /// A digest in the text that is being read.
    private struct JSONDigest {
        let raw: UnsafeBufferPointer<UInt8>
        let isEscaped: Bool

        func revision(generation: Int) -> RevisionID? {
            guard isEscaped else { return RevisionID.make(generation: generation, digest: raw) }
            return JSONText.unescaped(raw).bytes.withUnsafeBufferPointer { RevisionID.make(generation: generation, digest: $0) }
        }
    }
}
