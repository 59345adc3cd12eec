import Documents
import Gateway

/// `_revs_info`, CouchDB's: a revision and its ancestors, and which of them can still be read.
struct RevisionInfo: Sendable {
    /// How many ancestors are looked for: more than are kept.
    private static let reach = 20

    let json: [UInt8]

    /// - Throws: What reading the store throws.
    init(of content: RevisionContent, in keyspace: Keyspace) async throws {
        json = try await keyspace.read { snapshot in
            let document = try snapshot.document(content.id)
            var bytes = Array("[".utf8)
            for (index, revision) in content.history.enumerated() {
                let found = index < Self.reach ? try document?.content(of: revision) : nil
                if index > 0 { JSONWriter.append(raw: ",", to: &bytes) }
                JSONWriter.append(raw: "{\"rev\":", to: &bytes)
                JSONWriter.append(revision, to: &bytes)
                JSONWriter.append(raw: ",\"status\":", to: &bytes)
                JSONWriter.append(found.map { $0.isDeleted ? "deleted" : "available" } ?? "missing", to: &bytes)
                JSONWriter.append(raw: "}", to: &bytes)
            }
            JSONWriter.append(raw: "]", to: &bytes)
            return bytes
        }
    }
}
