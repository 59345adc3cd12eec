import Storage

/// Moves documents between collections within one transaction. Revisions, bodies and the legacy ID stay as they are; channels and grants
/// are what the new collection's sync function says, or stay, if it refuses the document.
struct DocumentMover {
    let database: Database
    let transaction: any StoreTransaction

    /// Moves a document, and keeps what is needed to undo it.
    ///
    /// Clients of the new collection see it appear. Clients of the unified keyspace see nothing, because for them nothing
    /// changed. The collection that it left stays silent; a write that still arrives there finds the document by its departure.
    func move(_ found: DocumentRecord, to collection: CollectionKey, id: String, run: Int64, verdict: ResyncResult) throws {
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
        try settle(&document, verdict, at: sequence)
        try depart(found, to: document, at: sequence)
        try transaction.recordMove(
            MoveRecord(document: key, fromCollection: found.collection, fromUnifiedID: found.unifiedID, fromLocalID: found.localID), in: run
        )
    }

    /// Puts a document back where a run took it from, with everything that was written to it since. The journal's row stays for the caller.
    ///
    /// - Parameter isMisplaced: Whether the routes want it elsewhere, as they do unless they were changed.
    func revert(_ found: DocumentRecord, as move: MoveRecord, isMisplaced: Bool, verdict: ResyncResult) throws {
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
        try settle(&document, verdict, at: sequence)
        try depart(found, to: document, at: sequence)
    }

    /// Writes the row, and sets the channels and grants in the new collection.
    private func settle(_ document: inout DocumentRecord, _ verdict: ResyncResult, at sequence: SequenceNumber) throws {
        let assignment = ChannelAssignment(database: database, transaction: transaction)
        if let winner = verdict.winner { document.flags.formUnion(winner.flags) }
        try transaction.update(document)
        guard let winner = verdict.winner else { return try assignment.keep(document, at: sequence) }
        try assignment.assign(winner, to: document, at: sequence)
        for (revision, channels) in verdict.losers { try transaction.setChannels(channels, of: revision, in: document) }
    }

    /// Keeps the old places, and clears the way at the new ones.
    private func depart(_ old: DocumentRecord, to new: DocumentRecord, at sequence: SequenceNumber) throws {
        guard let key = new.key else { return }
        try transaction.setDeparture(
            DepartureRecord(collection: old.collection, id: old.id, document: key, sequence: sequence), inPlaceOf: new.id,
            from: new.collection)
        if let id = old.unifiedID, new.unifiedID == nil {
            try transaction.setDeparture(DepartureRecord(collection: .unified, id: id, document: key, sequence: sequence))
        } else if old.unifiedID == nil, let id = new.unifiedID {
            try transaction.endDeparture(of: key, as: id, from: .unified, at: sequence)
        }
    }
}
