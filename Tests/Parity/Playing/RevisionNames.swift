/// The revisions that a history has written, by names that do not depend on the server: each is named after its step.
struct RevisionNames {
    private struct Key: Hashable {
        let keyspace: String
        let id: String
    }

    private struct Known {
        /// The name of each revision ID, the other way round, and each revision's parent.
        var names: [String: String] = [:]
        var ids: [String: String] = [:]
        var parents: [String: String] = [:]
    }

    private var documents: [Key: Known] = [:]

    static func name(step: Int) -> String { "s\(step)" }

    /// A revision was written.
    mutating func note(_ revision: String, parent: String?, step: Int, of id: String, in keyspace: String) {
        let key = Key(keyspace: keyspace, id: id)
        documents[key, default: Known()].names[revision] = Self.name(step: step)
        documents[key]?.ids[Self.name(step: step)] = revision
        if let parent { documents[key]?.parents[revision] = parent }
    }

    /// The name of a revision; what nobody here has written keeps its ID.
    func name(of revision: String, of id: String, in keyspace: String) -> String {
        documents[Key(keyspace: keyspace, id: id)]?.names[revision] ?? revision
    }

    func id(named name: String, of id: String, in keyspace: String) -> String? {
        documents[Key(keyspace: keyspace, id: id)]?.ids[name]
    }

    /// A revision and its ancestors, the newest first.
    func history(of revision: String, of id: String, in keyspace: String) -> [String] {
        let parents = documents[Key(keyspace: keyspace, id: id)]?.parents ?? [:]
        return Array(sequence(first: revision) { parents[$0] })
    }
}
