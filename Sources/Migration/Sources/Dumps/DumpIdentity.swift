import Documents

/// Which document a value of a dump is about, found without reading the document.
struct DumpIdentity: Equatable {
    let id: String

    /// Whether the value is a row that has the document, or should have it.
    let isRow: Bool

    /// - Returns: `nil` if the value is no JSON, or has no ID.
    init?(_ bytes: ArraySlice<UInt8>) {
        var own: String?
        var ofRow: String?
        var within: String?
        var isRow = false
        do {
            try JSONReader.read(bytes) { reader in
                guard reader.kind == .object else { return }
                try reader.object { key, value in
                    if key == "_id", value.kind == .string {
                        own = try value.string()
                    } else if key == "id", value.kind == .string {
                        ofRow = try value.string()
                    } else if key == "doc", value.kind == .object {
                        isRow = true
                        try value.object { key, member in
                            if key == "_id", member.kind == .string { within = try member.string() }
                        }
                    } else if key == "seq" || key == "error" || key == "value" && value.kind == .object {
                        isRow = true
                    }
                }
            }
        } catch {
            return nil
        }
        guard let id = own ?? (isRow ? within ?? ofRow : nil) else { return nil }
        self.id = id
        self.isRow = own == nil
    }
}
