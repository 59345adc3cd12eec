import Documents
import Gateway
import LegacyProtocol
import Storage

/// Reads many revisions in few snapshots, each bounded by count and bytes.
struct RevisionReader: Sendable {
    let keyspace: Keyspace
    let limits: LegacyLimits

    /// The results of the first queries, at least one: as many as one snapshot may read.
    func read(_ queries: ArraySlice<RevisionQuery>) async throws -> [[Result<RevisionContent, LegacyError>]] {
        let queries = queries.prefix(limits.readBatch)
        let budget = limits.readBatchSize
        return try await keyspace.read { snapshot in
            var answers: [[Result<RevisionContent, LegacyError>]] = []
            answers.reserveCapacity(queries.count)
            var size = 0
            try snapshot.announceDocuments(queries.map(\.id), with: .bodies)
            for query in queries {
                let answer = try query.answer(in: snapshot)
                for case .success(let content) in answer { size += content.body.properties.count + (content.body.attachments?.count ?? 0) }
                answers.append(answer)
                if size >= budget { break }
            }
            return answers
        }
    }
}

/// The query for one of many revisions.
struct RevisionQuery: Sendable, Equatable {
    var id: String

    /// `nil` for the winner.
    var revision: RevisionID?

    /// Whether the newest descendants of a superseded revision are requested in its place.
    var latest = false

    init(id: String, revision: RevisionID? = nil, latest: Bool = false) {
        self.id = id
        self.revision = revision
        self.latest = latest
    }
}

extension RevisionQuery {
    /// The results in a snapshot: one revision, or an error, or several revisions if a superseded revision has several newest descendants.
    func answer(in snapshot: KeyspaceSnapshot) throws -> [Result<RevisionContent, LegacyError>] {
        guard let document = try snapshot.document(id) else { return [.failure(Self.missing)] }
        guard let revision else {
            // A client that can no longer read the document must not learn whether it was deleted.
            guard !document.isWithheld else { return [.failure(Self.missing)] }
            guard !document.isDeleted else { return [.failure(LegacyError(.notFound, "deleted"))] }
            return [try Self.content(of: document.winner, in: document)]
        }
        guard latest, !document.isWithheld, let node = document.tree.lookup(modern: revision), !node.isLeaf else {
            return [try Self.content(of: revision, in: document)]
        }
        return try document.tree.leaves.filter { document.tree.isAncestor(node.id, of: $0.id) }.map {
            try Self.content(of: $0.id, in: document)
        }
    }

    private static func content(of revision: RevisionID, in document: DocumentView) throws -> Result<RevisionContent, LegacyError> {
        try document.announced(revision).map { .success($0) } ?? .failure(missing)
    }

    private static let missing = LegacyError(.notFound, "missing")
}
