/// BLIP: property `rev`, and property `history` with the ancestors, separated by commas, the newest first. Generations may leave gaps
/// where a peer has pruned.
extension RevisionHistory {
    /// The history of these two properties. Spaces around the commas are allowed.
    ///
    /// - Throws: ``DocumentError`` `badRevisionID` if `rev` is none; `badRevisions` if an ancestor is none or generations do not descend.
    public static func parse(rev: String, history: String?) throws(DocumentError) -> [RevisionID] {
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

    /// The value of the property `history`: everything but the revision itself; nil if there is nothing, for then it is left out.
    public static func property(_ history: [RevisionID]) -> String? {
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
