import Documents
import HTTPTypes

/// Attachments of revisions, as clients get them.
extension Player {
    /// - Returns: 200 for the attached bytes, 1 for other bytes; 404 for every reply for an attachment that the user may not see.
    func readFile(of id: String, _ name: String, as user: String, _ keyspace: String) async throws -> Int {
        guard let revision = names.id(named: name, of: id, in: keyspace) else { return 404 }
        let answer = try await exchange.ask(.get, "\(path(keyspace))/\(id)/\(Edit.File.name)?rev=\(revision)", as: user)
        guard answer.status == 200 else { return answer.status == 403 ? 404 : answer.status }
        return names.file(of: revision, of: id, in: keyspace).map { Edit.File.content(of: id, step: $0) } == answer.body ? 200 : 1
    }

    /// The result for the attachment of a document: `file` if it is the revision's.
    func answer(to document: JSONValue, of id: String, _ revision: String, _ client: Client) async throws -> String? {
        let expected = names.file(of: revision, of: id, in: client.keyspace)
        guard document["_attachments"]?[Edit.File.name] != nil else { return expected == nil ? nil : "no-file" }
        let name = names.name(of: revision, of: id, in: client.keyspace)
        let status = try await readFile(of: id, name, as: client.user, client.keyspace)
        return status == 200 ? "file" : "no-file"
    }
}
