package import Documents
package import Gateway
import Storage

extension Keyspace {
    /// Writes a revision as an app does.
    @discardableResult
    package func put(_ id: String, _ body: String, deleted: Bool = false) async throws -> RevisionID {
        let winner = try await read { try $0.document(id)?.winner }
        return try await write(RevisionWrite(id: id, kind: .edit(parent: winner), isDeleted: deleted, body: Array(body.utf8))).revision
    }

    /// Writes a document with an attachment.
    package func put(_ id: String, attachment bytes: [UInt8]) async throws {
        let digest = AttachmentDigest.sha1(of: bytes)
        let entry = AttachmentMetadata(
            name: "photo", digest: digest, length: bytes.count, revpos: 1, contentType: "application/octet-stream")
        try await _ = write(
            RevisionWrite(
                id: id, kind: .edit(parent: nil), isDeleted: false, body: Array("{}".utf8), attachments: AttachmentSet([entry]),
                attachmentBytes: [digest: bytes]))
    }

    /// All winners as `id@revision body`, tombstones with `!`.
    package func state() async throws -> [String] {
        var query = ChangesQuery()
        query.limit = 100_000
        query.includesContent = true
        return try await changes(query).rows.map { row in
            let body = row.content.map { String(decoding: $0.body.properties, as: UTF8.self) } ?? ""
            return "\(row.isDeleted ? "!" : "")\(row.id)@\(row.revision) \(body)"
        }.sorted()
    }

    package struct WinnerNames: Equatable {
        package let revision: String
        package let version: VersionVector?
    }

    /// The names of the winner for clients of both kinds: its revision ID, and its version if it has one.
    package func winnerNames(_ id: String) async throws -> WinnerNames? {
        try await read { snapshot in
            try snapshot.document(id).map { WinnerNames(revision: $0.winner.text, version: try snapshot.version(of: $0)) }
        }
    }

    /// The number of live branches besides the winner's.
    package func conflicts(_ id: String) async throws -> Int {
        try await read { try $0.document(id)?.tree.leaves.dropFirst().count { !$0.isDeleted } ?? 0 }
    }

    /// Assigns a version to every document, as the pull of a 4.x client does.
    package func showVersions() async throws {
        _ = try await versions(of: changes(ChangesQuery()).rows)
    }
}
