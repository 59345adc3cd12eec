/// A revision to write.
struct Edit: Hashable {
    var id: String

    /// The parent, by its name in the history; `nil` for the winner.
    var parent: String?

    /// For a branch: the beginning of its digest, so that the same branch wins on all servers.
    var digest: Character?
    var isDeleted = false
    var channels: [String]?
    var access: Gift?
    var role: Gift?

    /// Whether the revision has a new attachment, or keeps its parent's.
    var file: File?

    enum File: String {
        case new, kept

        /// The name of a document's attachment.
        static let name = "f"

        /// The bytes of an attachment that was added in a step.
        static func content(of id: String, step: Int) -> [UInt8] { Array("what came to \(id) in step \(step)".utf8) }
    }

    /// The sync function's requirement on the writer.
    var owner: String?
    var needs: String?

    /// A document's grant to a user or role.
    struct Gift: Hashable {
        var to: String
        var what: [String]

        init(to: String, what: [String]) {
            self.to = to
            self.what = what
        }

        /// Reads `anna>a,b`.
        init?(_ text: String) {
            guard let sign = text.firstIndex(of: ">") else { return nil }
            to = String(text[..<sign])
            what = text[text.index(after: sign)...].split(separator: ",").map(String.init)
        }

        var text: String { "\(to)>\(what.joined(separator: ","))" }
    }
}

extension Edit: CustomStringConvertible {
    var description: String {
        var text = id
        if isDeleted { text += " deleted" }
        if let parent { text += " parent=\(parent)" }
        if let digest { text += " digest=\(digest)" }
        if let channels { text += " channels=\(channels.joined(separator: ","))" }
        if let access { text += " access=\(access.text)" }
        if let role { text += " role=\(role.text)" }
        if let file { text += " file=\(file.rawValue)" }
        if let owner { text += " owner=\(owner)" }
        if let needs { text += " needs=\(needs)" }
        return text
    }

    init(parsing text: String) throws {
        let words = Words(text)
        guard let id = words.plain.first else { throw HistoryTextError(line: text) }
        self.init(
            id: id, parent: words.values["parent"], digest: words.values["digest"]?.first, isDeleted: words.has("deleted"),
            channels: words.list("channels"), access: words.values["access"].flatMap(Gift.init),
            role: words.values["role"].flatMap(Gift.init), file: words.values["file"].flatMap(File.init), owner: words.values["owner"],
            needs: words.values["needs"])
    }
}
