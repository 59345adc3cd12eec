/// A request that writes: one document, or a batch.
struct Write: Hashable {
    /// `ADMIN`, `GUEST` or a user.
    var by: String
    var keyspace = ""
    var isBatch = false

    /// Whether the revisions have given IDs (`new_edits: false`), each with its ``Edit/digest``.
    var isReplicated = false

    /// Whether a 2.x+ client pushes the revisions over BLIP, each with its ``Edit/digest``, one after another.
    var isPushed = false
    var edits: [Edit]

    static let administrator = "ADMIN"
}

extension Write: CustomStringConvertible {
    var description: String {
        var text = "write by=\(by)"
        if !keyspace.isEmpty { text += " in=\(keyspace)" }
        if isBatch { text += " batch" }
        if isReplicated { text += " replicated" }
        if isPushed { text += " pushed" }
        return text + edits.map { " | \($0)" }.joined()
    }

    init(parsing line: String) throws {
        let parts = line.split(separator: "|").map(String.init)
        guard let head = parts.first.map(Words.init), let by = head.values["by"] else { throw HistoryTextError(line: line) }
        self.init(
            by: by, keyspace: head.values["in"] ?? "", isBatch: head.has("batch"), isReplicated: head.has("replicated"),
            isPushed: head.has("pushed"), edits: try parts.dropFirst().map { try Edit(parsing: $0) })
    }
}
