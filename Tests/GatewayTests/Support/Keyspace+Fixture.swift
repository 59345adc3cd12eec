import Documents
import Storage
import Testing

@testable import Gateway

extension Keyspace {
    /// A 1.x push: a revision with its history, newest first. It may become a branch.
    @discardableResult
    func push(
        _ id: String, _ history: String..., body: String = "{}", deleted: Bool = false, attachments: AttachmentSet? = nil,
        bytes: [AttachmentDigest: [UInt8]] = [:]
    ) async throws -> WriteOutcome {
        try await write(
            RevisionWrite(
                id: id, kind: .replicated(history: try history.map { try Documents.RevisionID.of($0) }, conflicts: .branch),
                isDeleted: deleted,
                body: Array(body.utf8), attachments: attachments, attachmentBytes: bytes))
    }

    /// A 2.x+ push: it has to descend from the winner.
    @discardableResult
    func pushModern(_ id: String, _ history: String..., body: String = "{}", deleted: Bool = false) async throws -> WriteOutcome {
        try await write(
            RevisionWrite(
                id: id, kind: .replicated(history: try history.map { try Documents.RevisionID.of($0) }, conflicts: .refuse),
                isDeleted: deleted,
                body: Array(body.utf8)))
    }

    /// An edit by an app, as `PUT` with `_rev`.
    @discardableResult
    func edit(
        _ id: String, parent: String? = nil, body: String = "{}", deleted: Bool = false, attachments: AttachmentSet? = nil,
        bytes: [AttachmentDigest: [UInt8]] = [:]
    ) async throws -> String {
        try await write(
            RevisionWrite(
                id: id, kind: .edit(parent: try parent.map { try Documents.RevisionID.of($0) }), isDeleted: deleted, body: Array(body.utf8),
                attachments: attachments, attachmentBytes: bytes)
        ).revision.text
    }

    /// The current revision with its body: `1-aa {}`; `nil` if there is none to read.
    func current(_ id: String) async throws -> String? {
        do {
            let content = try await revision(.current, of: id)
            return "\(content.revision) \(String(decoding: content.body.properties, as: UTF8.self))"
        } catch let error as GatewayError where error.code == .notFound || error.code == .deleted {
            return nil
        }
    }

    func body(_ id: String, _ revision: String) async throws -> String? {
        let revision = try Documents.RevisionID.of(revision)
        return try await read { snapshot in
            try snapshot.document(id)?.content(of: revision).map { String(decoding: $0.body.properties, as: UTF8.self) }
        }
    }

    func record(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> DocumentRecord {
        let record = try await read { try $0.document(id)?.record }
        return try #require(record, sourceLocation: sourceLocation)
    }

    func leaves(_ id: String) async throws -> [String] {
        try await record(id).tree.leaves.map { ($0.isDeleted ? "!" : "") + $0.id.text }
    }

    /// The rows of the feed: `id@revision`, with marks for tombstones and removals.
    func feed(_ change: (inout ChangesQuery) -> Void = { _ in }) async throws -> [String] {
        var query = ChangesQuery()
        change(&query)
        return try await changes(query).rows.map { "\($0.isRemoval ? "-" : $0.isDeleted ? "!" : "")\($0.id)@\($0.revision)" }
    }

    func counts() async throws -> DocumentCounts {
        try await read { try $0.counts() }
    }
}

extension RevisionID {
    static func of(_ text: String) throws -> RevisionID {
        try #require(RevisionID(text))
    }
}
