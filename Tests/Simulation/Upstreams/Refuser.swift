import Documents
import Gateway
import Storage

/// Refuses some revisions in place of a server, and records them.
struct Refuser: Sendable {
    let refusal: Refusal

    /// The server's contents, for revisions that are requested from it.
    let server: Keyspace

    /// The bridge's keyspace of the documents.
    let keyspace: String
    private(set) var refused: [RefusedRevision] = []

    init(_ refusal: Refusal, of server: Keyspace, keyspace: String) {
        self.refusal = refusal
        self.server = server
        self.keyspace = keyspace
    }

    /// Whether a body is refused that is sent to the server, or received from it.
    mutating func refuses(_ id: String, _ revision: String, body: JSONValue?, _ direction: ParkedDirection) -> Bool {
        guard refusal.isAbout(body?["n"]?.int) else { return false }
        record(direction, id, revision)
        return true
    }

    /// Whether a revision is refused that is to be pulled.
    mutating func refuses(_ id: String, _ revision: String) async throws -> Bool {
        guard let name = RevisionID(revision) else { return false }
        let content = try await server.read { snapshot -> RevisionContent? in
            guard let document = try snapshot.document(id), let node = document.tree.lookup(modern: name) else { return nil }
            return try document.content(of: node.id)
        }
        guard let content, !content.isDeleted, refusal.isAbout(try JSONValue(content.body.properties)["n"]?.int) else { return false }
        record(.pull, id, revision)
        return true
    }

    mutating func record(_ direction: ParkedDirection, _ id: String, _ revision: String) {
        refused.append(RefusedRevision(direction: direction, place: Place(keyspace: keyspace, id: id), revision: revision))
    }
}
