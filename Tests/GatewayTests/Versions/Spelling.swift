import Documents
import Gateway

/// Short forms of vectors: `5a,3b;1c` stands for `5@AAA…,3@BBB…;1@CCC…`.
enum Spelling {
    private static let sources = ["a": "AAAAAAAAAAAAAAAAAAAAAA", "b": "BBBBBBBBBBBBBBBBBBBBBA", "c": "CCCCCCCCCCCCCCCCCCCCCA"]

    static func long(_ short: String) -> String {
        sources.reduce(short) { $0.replacing($1.key, with: "@" + $1.value) }
    }

    static func vector(_ short: String) throws -> VersionVector { try VersionVector(long(short)) }

    /// The parent of a client's edit: a vector or a tree ID; nothing for an empty text.
    static func proposed(_ short: String) throws -> VersionProposal.Revision? {
        guard !short.isEmpty else { return nil }
        return try RevisionID(short).map { .tree($0) } ?? .version(vector(short))
    }

    /// `5a;3b 2-12 1-34`: a history with tree IDs at the end.
    static func history(_ short: String) throws -> VersionHistory {
        let parts = short.split(separator: " ")
        return VersionHistory(vector: try vector(String(parts[0])), legacy: parts.dropFirst().compactMap { RevisionID(String($0)) })
    }
}
