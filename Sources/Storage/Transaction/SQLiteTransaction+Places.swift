import Documents

extension SQLiteTransaction {
    /// Where a document is as it is stored.
    struct StoredPlace {
        let collection: CollectionKey
        let flags: DocumentFlags
        let sequence: Sequence?
        let collectionSequence: Sequence

        /// Whether its IDs are those that were asked for.
        var isUnifiedID = false
        var isLocalID = false
    }

    /// Counts a document's change from what is stored to `document`.
    ///
    /// A move leaves the unified keyspace as it is, so it does not wake those who follow it.
    func countChange(to document: DocumentRecord) throws -> (key: DocumentKey, change: PlaceChange) {
        guard let key = document.key, let old = try place(of: key, comparedWith: document) else { throw missing("document \(document.id)") }
        changes.count(old.flags, in: .collection(old.collection), by: -1)
        changes.count(document.flags, in: .collection(document.collection), by: 1)
        if old.sequence != document.sequence || old.flags != document.flags {
            if let sequence = old.sequence, sequence != document.sequence { try forgetShown(at: sequence) }
            if old.sequence != nil { changes.count(old.flags, in: .unified, by: -1) }
            if document.sequence != nil { changes.count(document.flags, in: .unified, by: 1) }
        }
        return (key, change(from: old, to: document))
    }

    func place(of key: DocumentKey, comparedWith document: DocumentRecord? = nil) throws -> StoredPlace? {
        try connection.first(
            """
            SELECT collection, flags, sequence, collection_sequence, unified_id IS ?2, local_id IS ?3 FROM documents WHERE key = ?1
            """, key, document?.unifiedID, document?.localID
        ) { row in
            StoredPlace(
                collection: CollectionKey(row.integer(0)), flags: DocumentFlags(rawValue: row.integer(1)),
                sequence: row.optionalInteger(2).map { Sequence($0) }, collectionSequence: Sequence(row.integer(3)),
                isUnifiedID: row.bool(4), isLocalID: row.bool(5))
        }
    }

    private func change(from old: StoredPlace, to new: DocumentRecord) -> PlaceChange {
        let isSameCollection = old.collection == new.collection && old.isLocalID
        switch (old.isUnifiedID, isSameCollection, old.sequence == new.sequence) {
        case (true, true, true): return old.collectionSequence == new.collectionSequence ? .nothing : .collection
        case (true, true, false): return .sequences
        case (true, false, true): return .collection
        default: return .anything
        }
    }
}
