import Documents

extension FleeceJSON {
    /// Adds this body's revision to a document.
    ///
    /// The attachments are the blobs within the body, under the names that LiteCore gives them when it replicates (`blob_` and a JSON pointer,
    /// DBAccess.cc), and the entries of `_attachments`, which come from 1.x clients.
    func add(to assembler: inout DocumentAssembler, history: [RevisionID], _ revision: RawRevision) throws {
        var source = SourceRevision(history: history, isLeaf: revision.isLeaf, isDeleted: revision.isDeleted, body: json)
        var entries: [AttachmentMetadata] = []
        if hasReservedKeys {
            let parsed = try ParsedDocument(json, policy: .legacyUpstream, limits: DocumentLimits(maximumSize: json.count))
            source.body = parsed.body
            if let attachments = parsed.attachments { entries = try Self.attachments(attachments) }
        }
        for blob in blobs where !blob.pointer.starts(with: "/_attachments/".utf8) {
            guard let pointer = String(validating: blob.pointer, as: UTF8.self) else { continue }
            entries.append(try Self.entry("blob_\(pointer)", Array(json[blob.range]), generation: revision.id.generation))
        }
        if !entries.isEmpty { source.attachments = AttachmentSet(entries) }
        assembler.add(source)
    }

    /// The entries that are not aliases of blobs; aliases are generated again.
    private static func attachments(_ json: [UInt8]) throws -> [AttachmentMetadata] {
        var entries: [AttachmentMetadata] = []
        try JSONReader.read(json) { reader in
            try reader.object { key, value in
                let name = try key.string()
                let raw = try value.raw()
                guard !name.hasPrefix("blob_") else { return }
                entries.append(try entry(name, Array(raw), generation: nil))
            }
        }
        return entries
    }

    /// An attachment's metadata. Members that `_attachments` does not define are dropped.
    private static func entry(_ name: String, _ json: [UInt8], generation: Int?) throws -> AttachmentMetadata {
        var entry = AttachmentMetadata(name: name, revpos: generation)
        try JSONReader.read(json) { reader in
            try reader.object { key, value in
                if key == "digest", value.kind == .string {
                    entry.digest = AttachmentDigest(try value.string())
                } else if key == "content_type", value.kind == .string {
                    entry.contentType = try value.string()
                } else if key == "encoding", value.kind == .string {
                    entry.encoding = try value.string()
                } else if value.kind == .number, let number = try? value.int(), number >= 0 {
                    if key == "length" { entry.length = number }
                    if key == "encoded_length" { entry.encodedLength = number }
                    if key == "revpos" { entry.revpos = number }
                }
            }
        }
        guard entry.digest != nil else {
            throw DocumentError(.badAttachment, "the blob \"\(name)\" has no digest, so its file cannot be found")
        }
        return entry
    }
}
