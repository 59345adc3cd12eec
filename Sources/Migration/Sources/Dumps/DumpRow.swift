import Documents

/// A row of `_all_docs?include_docs=true` or `_changes?include_docs=true`.
struct DumpRow {
    private var id: String?
    private var revision: RevisionID?
    private var leaves: [RevisionID] = []
    private var isDeleted = false
    private var sequence: String?
    private var document: ParsedDocument?

    /// Error of a document that is valid JSON.
    private var fault: DocumentError?

    /// Whether the row reports a nonexistent document.
    private var isMissing = false

    /// - Returns: `nil` if the value is not a row.
    /// - Throws: ``DocumentError``, ``JSONError``.
    init?(_ bytes: ArraySlice<UInt8>, limits: DocumentLimits) throws {
        var isRow = false
        var isDocument = false
        try JSONReader.read(bytes, maximumDepth: limits.maximumDepth + 1) { reader in
            guard reader.kind == .object else { return }
            try reader.object { key, value in
                if key == "id", value.kind == .string {
                    id = try value.string()
                } else if key == "seq" {
                    isRow = true
                    sequence = value.kind == .string ? try value.string() : String(decoding: try value.raw(), as: UTF8.self)
                } else if key == "value", value.kind == .object {
                    isRow = true
                    try readValue(&value)
                } else if key == "changes", value.kind == .array {
                    try value.array { try readLeaf(&$0) }
                } else if key == "deleted", value.kind == .bool {
                    isDeleted = try value.bool()
                } else if key == "error" {
                    isMissing = true
                } else if key == "doc", value.kind == .object {
                    isRow = true
                    do {
                        document = try ParsedDocument(reading: &value, policy: .legacyUpstream, limits: limits)
                    } catch let error as DocumentError {
                        fault = error
                    }
                } else if key == "_id" {
                    isDocument = true
                }
            }
        }
        guard !isDocument, isRow || isMissing, id != nil || isMissing else { return nil }
    }

    func items(bytes: ArraySlice<UInt8>, place: String, bodyBytes: Int) -> [SourceItem] {
        // A row for a requested document that does not exist.
        guard let id else { return [] }
        if let fault {
            return [
                .fault(SourceFault(id: id, revision: revision?.text, place: place, reason: fault.message, bytes: Array(bytes)))
            ]
        }
        var parsed: ParsedDocument
        if let document {
            parsed = document
        } else if isDeleted, let revision = revision ?? leaves.first {
            parsed = ParsedDocument()
            parsed.revision = revision
        } else {
            return isMissing
                ? []
                : [
                    .fault(
                        SourceFault(
                            id: id, revision: revision?.text, place: place,
                            reason: "the row has no document. Make the dump with include_docs=true.", bytes: Array(bytes)))
                ]
        }
        parsed.id = parsed.id ?? id
        parsed.revision = parsed.revision ?? revision ?? leaves.first
        parsed.isDeleted = parsed.isDeleted || isDeleted
        var result = DumpDocument(parsed, bytes: bytes)
        result.sequence = sequence
        result.leaves = leaves
        return result.items(place: place, bodyBytes: bodyBytes)
    }

    private mutating func readValue(_ value: inout JSONReader) throws {
        try value.object { key, member in
            if key == "rev", member.kind == .string {
                revision = RevisionID(try member.string())
            } else if key == "deleted", member.kind == .bool {
                isDeleted = try member.bool()
            }
        }
    }

    private mutating func readLeaf(_ value: inout JSONReader) throws {
        guard value.kind == .object else { return }
        try value.object { key, member in
            if key == "rev", member.kind == .string, let leaf = RevisionID(try member.string()) { leaves.append(leaf) }
        }
    }
}
