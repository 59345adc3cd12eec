import Documents

/// A row of a server's changes feed.
struct RemoteRow: Hashable, Sendable {
    let sequence: OpaqueSequence
    let id: String

    /// The leaves: the request has `style=all_docs`.
    let revisions: [String]
    let isDeleted: Bool

    /// Whether the row reports that the user has lost access to the document. The server may then refuse its revisions.
    let isLoss: Bool

    /// Reads a row; `nil` for the last line of a continuous feed, which has only `last_seq`.
    ///
    /// - Throws: ``JSONError``; ``ReplicationError`` if the row has no sequence or no document ID.
    init?(_ json: ArraySlice<UInt8>, limit: Int = 1_000) throws {
        var sequence: OpaqueSequence?
        var id: String?
        var revisions: [String] = []
        var isDeleted = false
        var isLoss = false
        var isEnd = false
        try JSONReader.read(json) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                if key == "seq" {
                    sequence = try OpaqueSequence(reading: &value)
                } else if key == "id" {
                    id = try value.string()
                } else if key == "deleted", value.kind == .bool {
                    isDeleted = try value.bool()
                } else if key == "changes", value.kind == .array {
                    try value.array { change in
                        try change.object(uniqueKeys: false) { key, value in
                            guard key == "rev", revisions.count < limit else { return }
                            revisions.append(try value.string())
                        }
                    }
                } else if key == "removed" || key == "revoked" {
                    isLoss = true
                } else if key == "last_seq" {
                    isEnd = true
                }
            }
        }
        guard let sequence, let id else {
            if isEnd { return nil }
            throw ReplicationError(.upstream, "A row of the changes feed has no sequence or no document ID")
        }
        self.sequence = sequence
        self.id = id
        self.revisions = revisions
        self.isDeleted = isDeleted
        self.isLoss = isLoss
    }
}

/// A position in a server's feed. Opaque: a number, a string or, with BigCouch, an array. Only the server knows the order of two sequences.
struct OpaqueSequence: Hashable, Sendable {
    /// The form used in checkpoints: the text of a string, the JSON of any other value.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Reads a row's `seq`.
    init(reading reader: inout JSONReader) throws {
        switch reader.kind {
        case .string: text = try reader.string()
        case .null, .bool, nil: throw ReplicationError(.upstream, "A row of the changes feed has no usable sequence")
        default: text = String(decoding: try reader.raw(), as: UTF8.self)
        }
    }

    /// The form used in a POST body, as in Couchbase Lite: a number if the text looks like one, otherwise a string.
    var json: JSONValue {
        let isNumber = !text.isEmpty && text.utf8.count < 19 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return isNumber && (text == "0" || !text.hasPrefix("0")) ? .number(text) : .string(text)
    }
}
