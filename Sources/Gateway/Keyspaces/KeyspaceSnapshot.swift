import Access
public import Documents
public import Storage

/// One consistent state of a keyspace. Valid only inside the closure that it was given to.
public struct KeyspaceSnapshot {
    public let keyspace: Keyspace
    let store: any StoreSnapshot
    let visibility: Visibility

    init(keyspace: Keyspace, store: any StoreSnapshot) throws {
        self.keyspace = keyspace
        self.store = store
        visibility = Visibility(rights: try keyspace.rights(in: store), snapshot: store)
    }

    /// A document by its ID, as far as its reader may see it; `nil` if it is not there, or was never to be seen. A document with branches is withheld rather
    /// than `nil`: each branch is read by its own channels.
    ///
    /// - Parameter followingMoves: whether it is found at the place that it was moved away from, too.
    public func document(_ id: String, followingMoves: Bool = false) throws -> DocumentView? {
        guard let record = try keyspace.locate(id, in: store, followingMoves: followingMoves), let key = record.key else {
            return try movedDocument(id)
        }
        if try visibility.sees(key, in: record.collection) {
            return DocumentView(record: record, id: id, visibility: visibility, isWithheld: false, removal: nil)
        }
        let removal = try visibility.removal(of: record)
        guard removal != nil || record.flags.contains(.branched) else { return nil }
        return DocumentView(record: record, id: id, visibility: visibility, isWithheld: true, removal: removal)
    }

    /// The document of a notice that it was moved out: 1.x clients ask for the revision of it, and get the word that it was removed.
    private func movedDocument(_ id: String) throws -> DocumentView? {
        guard let collection = keyspace.announcedDepartures, let departure = try store.departure(from: collection, id: id),
            let record = try store.document(departure.document),
            try visibility.saw(departure.document, in: collection, until: departure.sequence, asked: ChangesQuery())
        else { return nil }
        return DocumentView(record: record, id: id, visibility: visibility, isWithheld: true, removal: record.winner)
    }

    /// The counter: no change has a higher sequence.
    public var lastSequence: SequenceNumber {
        get throws { try store.lastSequence }
    }

    /// Whether no document here is hidden from its reader.
    public var seesEverything: Bool {
        visibility.rights.isAdministrator || keyspace.access(of: visibility.rights).values.allSatisfy(\.seesEverything)
    }

    public func counts() throws -> DocumentCounts {
        try store.counts(keyspace.scope)
    }

    public func attachment(_ digest: AttachmentDigest) throws -> AttachmentRecord? {
        try store.attachment(digest)
    }

    /// At most `count` bytes of an attachment from `offset`.
    public func bytes(of attachment: AttachmentRecord, from offset: Int64, count: Int) throws -> [UInt8] {
        try store.attachmentBytes(attachment, offset: offset, count: count)
    }
}
