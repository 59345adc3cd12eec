import Storage

/// Moves documents between collections within one transaction. Revisions, bodies, channels and the legacy ID stay as they are.
struct DocumentMover {
    let database: Database
    let transaction: any StoreTransaction

    /// Moves a document, and keeps what is needed to undo it.
    ///
    /// Clients of the new collection see it appear. Clients of the unified keyspace see nothing, because for them nothing
    /// changed. The collection that it left stays silent; a write that still arrives there finds the document by its departure.
    func move(_ found: DocumentRecord, to collection: CollectionKey, id: String, run: Int64) throws {
        guard let key = found.key else { return }
        var document = found
        let sequence = try transaction.nextSequence()
        document.collection = collection
        document.collectionSequence = sequence
        if try transaction.isHidden(collection) {
            document.unifiedID = nil
            document.sequence = nil
            document.localID = id
        } else {
            document.localID = document.unifiedID?.utf8.elementsEqual(id.utf8) == true ? nil : id
        }
        document.flags.remove(.misplaced)
        try transaction.update(document)
        try ChannelAssignment(database: database, transaction: transaction).keep(document, at: sequence)
        try depart(found, to: document, at: sequence)
        try transaction.recordMove(
            MoveRecord(document: key, fromCollection: found.collection, fromUnifiedID: found.unifiedID, fromLocalID: found.localID), in: run
        )
    }

    /// Puts a document back where a run took it from, with everything that was written to it since.
    ///
    /// - Parameter isMisplaced: Whether the routes want it elsewhere, as they do unless they were changed.
    func revert(_ move: MoveRecord, of run: Int64, isMisplaced: Bool) throws {
        guard let found = try transaction.document(move.document) else {
            // Purged since: nothing to put back.
            return try transaction.forgetMove(of: move.document, in: run)
        }
        var document = found
        let sequence = try transaction.nextSequence()
        document.collection = move.fromCollection
        document.collectionSequence = sequence
        document.flags.setMembership(of: .misplaced, to: isMisplaced)
        if found.unifiedID == nil, let id = move.fromUnifiedID {
            // It had left the unified keyspace with the collection; for legacy clients it changes by coming back.
            document.unifiedID = id
            document.sequence = sequence
        }
        let id = move.fromLocalID ?? move.fromUnifiedID
        document.localID = id == document.unifiedID ? nil : id
        try transaction.update(document)
        try ChannelAssignment(database: database, transaction: transaction).keep(document, at: sequence)
        try depart(found, to: document, at: sequence)
        try transaction.forgetMove(of: move.document, in: run)
    }

    /// Keeps the old places, and clears the way at the new ones.
    private func depart(_ old: DocumentRecord, to new: DocumentRecord, at sequence: Sequence) throws {
        guard let key = new.key else { return }
        try transaction.setDeparture(DepartureRecord(collection: old.collection, id: old.id, document: key, sequence: sequence))
        try transaction.removeDeparture(from: new.collection, id: new.id)
        if let id = old.unifiedID, new.unifiedID == nil {
            try transaction.setDeparture(DepartureRecord(collection: .unified, id: id, document: key, sequence: sequence))
        } else if old.unifiedID == nil, let id = new.unifiedID {
            try transaction.removeDeparture(from: .unified, id: id)
        }
    }
}
