public import Documents
public import Storage

/// One document in a snapshot of a keyspace.
public struct DocumentView {
    public let record: DocumentRecord

    /// Its ID in the keyspace through which it was reached.
    public let id: String
    let snapshot: any StoreSnapshot

    public var tree: RevisionTree { record.tree }
    public var winner: RevisionID { record.winner }
    public var isDeleted: Bool { record.flags.contains(.deleted) }

    /// A revision with its body and ancestors.
    ///
    /// - Returns: `nil` if the tree does not have it or its body is no longer kept.
    public func content(of revision: RevisionID) throws -> RevisionContent? {
        guard let node = tree.lookup(modern: revision), let body = try snapshot.body(of: node.id, in: record) else { return nil }
        return RevisionContent(
            id: id, revision: node.id, isDeleted: node.isDeleted, history: tree.history(of: node.id, limit: nil, stoppingAt: []), body: body
        )
    }
}
