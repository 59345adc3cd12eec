import Documents

/// What a dump that was made with `conflicts=true` says of a document's other leaves.
enum DumpConflicts {
    private static let key = Array("_conflicts\"".utf8)

    /// The live leaves that a document, or the document of a row, names beside itself.
    static func named(in bytes: ArraySlice<UInt8>) throws -> [RevisionID] {
        guard mentionsThem(bytes) else { return [] }
        return try JSONReader.read(bytes) { try read(&$0, isRow: true) }
    }

    /// Whether the key stands anywhere: hardly any document has it, and none is to be read once more for that.
    private static func mentionsThem(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let underscore = rest.firstIndex(of: 0x5f) {
            if rest[underscore...].starts(with: key) { return true }
            rest = rest[(underscore + 1)...]
        }
        return false
    }

    private static func read(_ reader: inout JSONReader, isRow: Bool) throws -> [RevisionID] {
        var leaves: [RevisionID] = []
        try reader.object { key, value in
            if key == "_conflicts", value.kind == .array {
                try value.array { element in
                    if element.kind == .string, let leaf = RevisionID(try element.string()) { leaves.append(leaf) }
                }
            } else if isRow, key == "doc", value.kind == .object {
                leaves += try read(&value, isRow: false)
            }
        }
        return leaves
    }
}
