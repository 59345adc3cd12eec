public import Documents
public import Storage

/// One consistent state of a keyspace. Valid only inside the closure that it was given to.
public struct KeyspaceSnapshot {
    public let keyspace: Keyspace
    let store: any StoreSnapshot

    /// A document by its ID.
    ///
    /// - Parameter followingMoves: whether it is found at the place that it was moved away from, too.
    public func document(_ id: String, followingMoves: Bool = false) throws -> DocumentView? {
        try keyspace.locate(id, in: store, followingMoves: followingMoves).map { DocumentView(record: $0, id: id, snapshot: store) }
    }

    /// The counter: no change has a higher sequence.
    public var lastSequence: Sequence {
        get throws { try store.lastSequence }
    }

    public func counts() throws -> DocumentCounts {
        try store.counts(keyspace.scope)
    }

    /// Documents in the order of their IDs.
    public func list(_ range: ListRange, limit: Int, _ visit: (FeedRow) throws -> Bool) throws {
        try store.list(keyspace.scope, range: range, limit: limit, visit)
    }

    public func attachment(_ digest: AttachmentDigest) throws -> AttachmentRecord? {
        try store.attachment(digest)
    }
}
