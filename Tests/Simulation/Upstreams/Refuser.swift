import Documents
import Gateway
import Storage

/// Refuses, in place of a server, what it is told to, and remembers what that was.
struct Refuser: Sendable {
    let refusal: Refusal

    /// What the server has, for what it is asked to give.
    let server: Keyspace

    /// The name of the keyspace in which the bridge has the documents.
    let keyspace: String
    private(set) var refused: [RefusedRevision] = []

    init(_ refusal: Refusal, of server: Keyspace, keyspace: String) {
        self.refusal = refusal
        self.server = server
        self.keyspace = keyspace
    }

    /// Whether a body is refused that is to go to the server, or comes from there.
    mutating func refuses(_ id: String, _ revision: String, body: JSONValue?, _ direction: ParkedDirection) -> Bool {
        guard refusal.isAbout(body?["n"]?.int) else { return false }
        note(direction, id, revision)
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
        note(.pull, id, revision)
        return true
    }

    mutating func note(_ direction: ParkedDirection, _ id: String, _ revision: String) {
        refused.append(RefusedRevision(direction: direction, place: Place(keyspace: keyspace, id: id), revision: revision))
    }
}
