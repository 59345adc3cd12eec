import Documents
import HTTP

extension Player {
    /// A 2.x+ client pushes its edits: each document on the winner, or on an earlier revision that it has.
    ///
    /// - Returns: a status for each document, or the status of the refused connection.
    func push(_ write: Write, step: Int) async throws -> [Int] {
        var observation = Observation()
        guard let socket = try await connect(write.by, &observation) else { return observation.statuses }
        defer { socket.drop() }
        let push = ModernPush(over: socket, keyspace: write.keyspace)
        return try await within(exchange.server.kind.longestSilence, dropping: socket) {
            guard try await push.begin() else { return [404] }
            var statuses: [Int] = []
            for edit in write.edits {
                let parent = try await parent(of: edit, write)
                // A user deletes only documents that the user has.
                guard parent != nil || !edit.isDeleted else {
                    statuses.append(404)
                    continue
                }
                let revision = Self.revision(after: parent, edit, step: step)
                let history = parent.map { names.history(of: $0, of: edit.id, in: write.keyspace) } ?? []
                let file = edit.file == nil ? nil : Edit.File.content(of: edit.id, step: step)
                let status = try await push.send(
                    ModernPush.Revision(
                        id: edit.id, revision: revision, history: history, isDeleted: edit.isDeleted,
                        body: .object(Self.properties(edit, step: step) + (file.map { [Self.announced($0, revision)] } ?? [])), file: file))
                statuses.append(status)
                if status == 201 { record(revision, parent, edit, write, step) }
            }
            return statuses
        }
    }

    /// `_attachments` of a revision whose attachment the server will request.
    private static func announced(_ file: [UInt8], _ revision: String) -> JSONMember {
        attached([
            JSONMember("stub", .bool(true)), JSONMember("digest", .string(AttachmentDigest.sha1(of: file).description)),
            JSONMember("length", .number(String(file.count))),
            JSONMember("revpos", .number(revision.split(separator: "-").first.map(String.init) ?? "1")),
        ])
    }
}
