/// The revisions that a history has written, by names that do not depend on the server: each is named after its step.
struct RevisionNames {
    private struct Key: Hashable {
        let keyspace: String
        let id: String
    }

    private struct DocumentNames {
        /// The name of each revision ID, and each revision's parent.
        var names: [String: String] = [:]
        var ids: [String: String] = [:]
        var parents: [String: String] = [:]

        /// The step in which a revision's attachment was added.
        var files: [String: Int] = [:]
    }

    private var documents: [Key: DocumentNames] = [:]

    static func name(step: Int) -> String { "s\(step)" }

    /// Records a written revision.
    ///
    /// - Parameter file: the step in which its attachment was added, if it has one.
    mutating func record(_ revision: String, parent: String?, step: Int, file: Int?, of id: String, in keyspace: String) {
        let key = Key(keyspace: keyspace, id: id)
        documents[key, default: DocumentNames()].names[revision] = Self.name(step: step)
        documents[key]?.ids[Self.name(step: step)] = revision
        if let parent { documents[key]?.parents[revision] = parent }
        documents[key]?.files[revision] = file
    }

    /// The step in which the attachment of a revision was added; `nil` if it has none.
    func file(of revision: String, of id: String, in keyspace: String) -> Int? {
        documents[Key(keyspace: keyspace, id: id)]?.files[revision]
    }

    /// The name of a revision; a revision that the history has not written keeps its ID.
    func name(of revision: String, of id: String, in keyspace: String) -> String {
        documents[Key(keyspace: keyspace, id: id)]?.names[revision] ?? revision
    }

    /// Whether a revision of the document was written.
    func isKnown(_ id: String, in keyspace: String) -> Bool { documents[Key(keyspace: keyspace, id: id)] != nil }

    func id(named name: String, of id: String, in keyspace: String) -> String? {
        documents[Key(keyspace: keyspace, id: id)]?.ids[name]
    }

    /// Whether a client with these revisions has had another one: it is one of them, or an ancestor.
    func isKnown(_ revision: String, among held: Set<String>, of id: String, in keyspace: String) -> Bool {
        held.contains(name(of: revision, of: id, in: keyspace))
            || held.contains { name in
                self.id(named: name, of: id, in: keyspace).map { history(of: $0, of: id, in: keyspace).contains(revision) } ?? false
            }
    }

    /// A revision and its ancestors, the newest first.
    func history(of revision: String, of id: String, in keyspace: String) -> [String] {
        let parents = documents[Key(keyspace: keyspace, id: id)]?.parents ?? [:]
        return Array(sequence(first: revision) { parents[$0] })
    }
}
