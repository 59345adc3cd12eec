import Access
import Documents
import Gateway
import SQLiteStorage
import Storage

extension Node {
    /// The documents of a keyspace, as sent to clients; for a user with limited access, the visible ones.
    func holdings(in keyspace: String, as principal: Principal = .administrator, at site: Site? = nil) async throws -> [Place: Holding] {
        var query = ChangesQuery()
        query.limit = 10_000
        query.allLeaves = true
        query.includesContent = true
        var holdings: [Place: Holding] = [:]
        for row in try await self.keyspace(keyspace, of: site?.database).seen(by: principal).changes(query).rows where !row.isRemoval {
            guard let winner = RevisionID(row.revision), let content = row.content else {
                throw Violation(invariant: .integrity, detail: "\(keyspace)/\(row.id) \(row.revision) has no content")
            }
            let attachments = try content.body.attachments.map { try AttachmentSet($0).entries } ?? []
            let photo = attachments.first { $0.name == "photo" }?.digest
            let leaves = ([row.revision] + row.otherLeaves).compactMap { RevisionID($0) }
            holdings[Place(keyspace: keyspace, id: row.id)] = Holding(
                winner: winner, content: Content(try JSONValue(content.body.properties), isDeleted: row.isDeleted, photo: photo),
                leaves: Set(leaves))
        }
        return holdings
    }

    /// A document's revision tree, in its present collection.
    func tree(at place: Place) async throws -> RevisionTree? {
        try await keyspace(place.keyspace).read { try $0.document(place.id, followingMoves: true)?.tree }
    }

    /// Whether the unified keyspace has a document.
    func hasDocument(_ id: String) async throws -> Bool {
        try await store.read { try $0.document(unifiedID: id) } != nil
    }

    /// Whether a document of the unified keyspace was written to a collection by a client that names it there, so that a server at another URL cannot
    /// detect that an app has it from the unified keyspace.
    func wasWrittenInCollection(_ id: String) async throws -> Bool {
        guard let document = try await store.read({ try $0.document(unifiedID: id) }) else { return false }
        return document.collection != .default && !document.flags.contains(.routed)
    }

    /// The 4.x clients' view of a document.
    func vector(at place: Place) async throws -> VersionVector? {
        guard let key = try await keyspace(place.keyspace).read({ try $0.document(place.id, followingMoves: true)?.record.key }) else {
            return nil
        }
        return try await store.read { try $0.version(of: key)?.vector }
    }
}
