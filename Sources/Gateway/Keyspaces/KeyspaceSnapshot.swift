import Access
package import Documents
package import Storage

/// One consistent state of a keyspace. Valid only inside the closure that receives it.
package struct KeyspaceSnapshot {
    package let keyspace: Keyspace
    let store: any StoreSnapshot
    let visibility: Visibility

    init(keyspace: Keyspace, store: any StoreSnapshot) throws {
        self.keyspace = keyspace
        self.store = store
        visibility = Visibility(rights: try keyspace.rights(in: store), snapshot: store)
    }

    /// A document by its ID, limited to the reader's access; `nil` if it does not exist or was never visible. An invisible document with branches
    /// is returned as withheld: each branch is read by its own channels.
    ///
    /// - Parameter followingMoves: whether to find a moved document at its former place, too.
    package func document(_ id: String, followingMoves: Bool = false) throws -> DocumentView? {
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

    /// Announces documents that will be read, so that a store on another machine reads them all at once.
    ///
    /// - Parameter details: What will be read of them besides their records and their channels.
    package func announceDocuments(_ ids: [String], with details: AnnouncedDetails) throws {
        try keyspace.announceLookups(of: ids, to: store, with: keyspace.details(details, for: visibility.rights))
    }

    /// The document of a departure notice: 1.x clients request the revision of the notice, and receive a removal.
    private func movedDocument(_ id: String) throws -> DocumentView? {
        guard let collection = keyspace.announcedDepartures, let departure = try store.departure(from: collection, id: id),
            let record = try store.document(departure.document),
            try visibility.saw(departure.document, in: collection, until: departure.sequence, asked: ChangesQuery())
        else { return nil }
        return DocumentView(record: record, id: id, visibility: visibility, isWithheld: true, removal: record.winner)
    }

    /// The counter: no change has a higher sequence.
    package var lastSequence: SequenceNumber {
        get throws { try store.lastSequence }
    }

    /// Whether the reader has access to every document of the keyspace.
    package var seesEverything: Bool { keyspace.isSeenWhole(with: visibility.rights) }

    package func counts() throws -> DocumentCounts {
        try store.counts(keyspace.scope)
    }

    package func attachment(_ digest: AttachmentDigest) throws -> AttachmentRecord? {
        try store.attachment(digest)
    }

    /// At most `count` bytes of an attachment from `offset`.
    package func bytes(of attachment: AttachmentRecord, from offset: Int64, count: Int) throws -> [UInt8] {
        try store.attachmentBytes(attachment, offset: offset, count: count)
    }
}
