import Documents
import Gateway

/// The leaves of a document besides the one that is sent: `_conflicts` and `_deleted_conflicts`.
struct LostLeaves: Sendable {
    private(set) var live: [RevisionID] = []
    private(set) var deleted: [RevisionID] = []

    /// Those that the reader may see.
    init(besides content: RevisionContent, in keyspace: Keyspace) async throws {
        (live, deleted) = try await keyspace.read { snapshot in
            var found: (live: [RevisionID], deleted: [RevisionID]) = ([], [])
            guard let document = try snapshot.document(content.id), !document.isWithheld else { return found }
            for leaf in document.tree.leaves where leaf.id != content.revision {
                guard try document.content(of: leaf.id) != nil else { continue }
                if leaf.isDeleted { found.deleted.append(leaf.id) } else { found.live.append(leaf.id) }
            }
            return found
        }
    }
}
