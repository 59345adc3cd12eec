/// A server's replies in one step, in names that are the same for every server.
struct Observation: Hashable {
    /// The statuses of replies: for a write's documents, for an account, for a refused feed.
    var statuses: [Int] = []

    /// The last row of each document in a feed, by its ID.
    var rows: [String: Row] = [:]

    /// The client's documents after the step, each with its revisions; or the documents of a list.
    var held: [String: Set<String>] = [:]

    /// After a whole pull: the documents that the client's user may see, each with its winner; `nil` without a list, or for a refused list.
    var listed: [String: Set<String>]?

    /// A row of a feed.
    struct Row: Hashable {
        var id: String
        var revisions: Set<String>

        /// `deleted`, `revoked`, and `removed` with the channels where the feed names them.
        var marks: Set<String> = []

        /// The results of requests for the revisions: a status, `removed`, `norev`, or `other` for a body that is not the revision's.
        var answers: Set<String> = []
    }
}

extension Observation.Row {
    /// Whether the row reports the deletion of a revision to the client.
    var reportsDeletion: Bool { marks.contains("deleted") || answers.contains("deleted") }

    /// The row with the results of requests for an earlier row of the document.
    func after(_ earlier: Self?) -> Self {
        var row = self
        row.answers.formUnion(earlier?.answers ?? [])
        return row
    }
}

extension Observation.Row: CustomStringConvertible {
    var description: String {
        [id, revisions.joined, marks.joined, answers.joined].joined(separator: ":")
    }

    init(parsing text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else { throw HistoryTextError(line: text) }
        self.init(id: parts[0], revisions: Set(separating: parts[1]), marks: Set(separating: parts[2]), answers: Set(separating: parts[3]))
    }
}

extension Observation: CustomStringConvertible {
    /// One line: `201,403 ; d1:s2::200 d2:s3:deleted: ; d1=s2`, followed by the list.
    var description: String {
        let parts = [
            statuses.map(String.init).joined(separator: ","), rows.values.map(\.description).sorted().joined(separator: " "),
            Self.text(held),
        ]
        return (parts + (listed.map { [Self.text($0)] } ?? [])).joined(separator: " ; ")
    }

    init(parsing line: String) throws {
        let parts = line.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard (3...4).contains(parts.count) else { throw HistoryTextError(line: line) }
        let words = parts.map { $0.split(separator: " ").map(String.init) }
        statuses = (words[0].first ?? "").split(separator: ",").compactMap { Int($0) }
        for word in words[1] {
            let row = try Row(parsing: word)
            rows[row.id] = row
        }
        held = try Self.documents(words[2])
        if words.count > 3 { listed = try Self.documents(words[3]) }
    }

    private static func text(_ documents: [String: Set<String>]) -> String {
        documents.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.joined)" }.joined(separator: " ")
    }

    private static func documents(_ words: [String]) throws -> [String: Set<String>] {
        var documents: [String: Set<String>] = [:]
        for word in words {
            let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw HistoryTextError(line: word) }
            documents[String(pair[0])] = Set(separating: String(pair[1]))
        }
        return documents
    }
}

extension Set<String> {
    fileprivate var joined: String { sorted().joined(separator: ",") }

    fileprivate init(separating text: String) {
        self.init(text.split(separator: ",").map(String.init))
    }
}
