import Documents
import Gateway
import Storage

/// Reads revisions to be pushed, limited by their size in bytes.
struct LocalRevisionReader: Sendable {
    /// A leaf of a document.
    struct Leaf: Sendable, Hashable {
        let id: String
        let revision: RevisionID

        init(id: String, revision: RevisionID) {
            self.id = id
            self.revision = revision
        }

        init(_ content: RevisionContent) {
            self.init(id: content.id, revision: content.revision)
        }
    }

    let keyspace: Keyspace

    /// The approximate maximum of body bytes that are read at once.
    let size: Int

    /// All leaves, including conflicts and tombstones, as Couchbase Lite pushes them.
    static func leaves(of rows: [ChangeRow]) -> [Leaf] {
        rows.flatMap { row in
            ([row.revision] + row.otherLeaves).compactMap { RevisionID($0) }.map { Leaf(id: row.id, revision: $0) }
        }
    }

    /// Reads the first leaves, at least one. An element is `nil` if its revision is no longer stored because a newer one has replaced it.
    func read(_ leaves: ArraySlice<Leaf>) async throws -> [RevisionContent?] {
        let size = size
        do {
            return try await keyspace.read { snapshot in
                var contents: [RevisionContent?] = []
                var bytes = 0
                for leaf in leaves {
                    guard contents.isEmpty || bytes < size else { break }
                    let content = try snapshot.document(leaf.id)?.content(of: leaf.revision)
                    bytes += content?.body.properties.count ?? 0
                    contents.append(content)
                }
                return contents
            }
        } catch {
            throw ReplicationError(local: error)
        }
    }
}
