import Documents

/// A row of a server's changes feed.
struct RemoteChange: Hashable, Sendable {
    let sequence: RemoteSequence
    let id: String

    /// The leaves, with `style=all_docs`.
    let revisions: [String]
    let isDeleted: Bool

    /// Whether the row tells that the document has left what the login may see: its revisions may be denied then.
    let isLoss: Bool

    /// Reads a row; `nil` for the line that ends a continuous feed.
    ///
    /// - Throws: ``JSONError``; ``ReplicationError`` if it lacks what a row must have.
    init?(_ json: ArraySlice<UInt8>, limit: Int = 1_000) throws {
        var sequence: RemoteSequence?
        var id: String?
        var revisions: [String] = []
        var isDeleted = false
        var isLoss = false
        var isEnd = false
        try JSONReader.read(json) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                if key == "seq" {
                    sequence = try RemoteSequence(reading: &value)
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
