/// Revision histories in both wire formats. In memory, a history is an array of IDs, newest first, beginning with the revision itself.
package enum RevisionHistory {
    /// Checks that the history is not empty or too long and that its generations descend.
    ///
    /// - Throws: ``DocumentError`` `badRevisions`.
    package static func validate(_ history: [RevisionID]) throws(DocumentError) {
        guard !history.isEmpty else { throw bad("the history is empty") }
        guard history.count <= RevisionTree.maximumHistoryCount else {
            throw bad("\(history.count) revisions, at most \(RevisionTree.maximumHistoryCount) are allowed")
        }
        for index in history.indices.dropFirst() where history[index - 1].generation <= history[index].generation {
            throw bad("\(history[index]) cannot be an ancestor of \(history[index - 1])")
        }
    }

    static func bad(_ reason: String) -> DocumentError {
        DocumentError(.badRevisions, "Bad _revisions: \(reason)")
    }
}

/// The format of 1.x and CouchDB: `"_revisions": {"start": 3, "ids": ["c", "b", "a"]}`, generations descending by one.
extension RevisionHistory {
    /// Reads the value of `_revisions`.
    ///
    /// - Throws: ``DocumentError`` `badRevisions`; ``JSONError`` if the text is not JSON.
    package static func read(_ reader: inout JSONReader) throws -> [RevisionID] {
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

    /// Appends the value of `_revisions`. The history ends before the first gap in its generations, because the format has no gaps.
    package static func append(_ history: [RevisionID], to bytes: inout [UInt8]) {
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

    /// A digest as a slice of the text that is being read.
    private struct JSONDigest {
        let raw: UnsafeBufferPointer<UInt8>
        let isEscaped: Bool

        func revision(generation: Int) -> RevisionID? {
            guard isEscaped else { return RevisionID.make(generation: generation, digest: raw) }
            return JSONText.unescaped(raw).bytes.withUnsafeBufferPointer { RevisionID.make(generation: generation, digest: $0) }
        }
    }
}

/// The BLIP format: property `rev`, and property `history` with the ancestors, comma-separated, newest first. Generations have gaps where
/// a peer has pruned revisions.
extension RevisionHistory {
    /// Parses the two properties. Spaces around the commas are allowed.
    ///
    /// - Throws: ``DocumentError`` `badRevisionID` if `rev` is malformed; `badRevisions` if an ancestor is malformed or generations do not
    ///   descend.
    package static func parse(rev: String, history: String?) throws(DocumentError) -> [RevisionID] {
        guard let revision = RevisionID(rev) else { throw DocumentError(.badRevisionID, "Invalid revision ID \"\(rev)\"") }
        var ids = [revision]
        if let history, !history.isEmpty {
            for field in history.utf8.split(separator: 0x2c, omittingEmptySubsequences: false) {
                guard ids.count < RevisionTree.maximumHistoryCount else { throw bad("too many revisions in the history") }
                guard let id = RevisionID(utf8: trimmed(field)) else { throw bad("malformed revision ID in the history of \(rev)") }
                ids.append(id)
            }
        }
        try validate(ids)
        return ids
    }

    /// The value of the property `history`: all ancestors without the revision itself. Nil if there are none; the property is omitted then.
    package static func property(_ history: [RevisionID]) -> String? {
        guard history.count > 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(history.count * 44)
        for (index, id) in history.dropFirst().enumerated() {
            if index > 0 { bytes.append(0x2c) }
            id.append(to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func trimmed(_ field: Substring.UTF8View) -> Substring.UTF8View {
        var field = field
        while field.first == 0x20 { field.removeFirst() }
        while field.last == 0x20 { field.removeLast() }
        return field
    }
}
