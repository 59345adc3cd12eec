import Documents
import Storage
import Testing

extension StoreTransaction {
    /// Adds a document of one revision.
    @discardableResult
    func add(_ id: String) throws -> DocumentKey {
        let sequence = try nextSequence()
        let revision = try #require(RevisionID("1-aa"))
        var tree = RevisionTree()
        try tree.merge([revision], isDeleted: false)
        let document = DocumentRecord(
            collection: .default, unifiedID: id, localID: nil, sequence: sequence, collectionSequence: sequence, winner: revision,
            flags: DocumentFlags(tree: tree, hasAttachments: false), modified: 1, tree: tree)
        return try insert(document, winnerBody: StoredBody(properties: Array("{\"id\":\"\(id)\"}".utf8), attachments: nil))
    }
}

extension StoreSnapshot {
    /// The IDs of a feed in its order.
    func feedIDs(_ scope: FeedScope, limit: Int) throws -> [String] {
        var ids: [String] = []
        try feed(scope, FeedStretch(after: .zero, limit: limit, isDescending: false)) { row in
            ids.append(row.id)
            return true
        }
        return ids
    }
}
