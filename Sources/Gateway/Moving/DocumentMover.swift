import Storage

/// Moves documents between collections within one transaction.
///
/// Revisions, bodies and the legacy ID stay unchanged. Channels and grants become those of the new collection's sync function, or stay unchanged if
/// it refuses the document.
struct DocumentMover {
    let database: Database
    let transaction: any StoreTransaction

    /// Moves a document, and records what a revert needs.
    ///
    /// Clients of the new collection receive the document as new. Clients of the unified keyspace receive nothing, because it did not change for
    /// them. The old collection's feed announces nothing; a late write there finds the document by its departure record.
    func move(_ found: DocumentRecord, to collection: CollectionKey, id: String, run: Int64, result: ResyncResult) throws {
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
        try applyResult(&document, result, at: sequence)
        try depart(found, to: document, at: sequence)
        try transaction.recordMove(
            MoveRecord(document: key, fromCollection: found.collection, fromUnifiedID: found.unifiedID, fromLocalID: found.localID), in: run
        )
    }

    /// Moves a document back to where a run took it from, including all later writes. The caller removes the journal's row.
    ///
    /// - Parameter isMisplaced: Whether the routes want it in another collection, which holds while the routes are unchanged.
    func revert(_ found: DocumentRecord, as move: MoveRecord, isMisplaced: Bool, result: ResyncResult) throws {
        var document = found
        let sequence = try transaction.nextSequence()
        document.collection = move.fromCollection
        document.collectionSequence = sequence
        document.flags.setMembership(of: .misplaced, to: isMisplaced)
        if found.unifiedID == nil, let id = move.fromUnifiedID {
            // The move had removed it from the unified keyspace; its return is a change for legacy clients.
            document.unifiedID = id
            document.sequence = sequence
        }
        let id = move.fromLocalID ?? move.fromUnifiedID
        document.localID = id == document.unifiedID ? nil : id
        try applyResult(&document, result, at: sequence)
        try depart(found, to: document, at: sequence)
    }

    /// Writes the document's row, and its channels and grants in the new collection.
    private func applyResult(_ document: inout DocumentRecord, _ result: ResyncResult, at sequence: SequenceNumber) throws {
        let assignment = ChannelAssignment(database: database, transaction: transaction)
        if let winner = result.winner { document.flags.formUnion(winner.flags) }
        try transaction.update(document)
        guard let winner = result.winner else { return try assignment.moveEntries(of: document, to: sequence) }
        try assignment.assign(winner, to: document, at: sequence)
        for (revision, channels) in result.losers { try transaction.setChannels(channels, of: revision, in: document) }
    }

    /// Records the departures from the old places, and removes departure records at the new places.
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
