import Storage

/// Takes documents out of the unified keyspace, or brings them back, within one transaction. Where they live stays as it is, and so do
/// their revisions.
struct VisibilityChange {
    let database: Database
    let transaction: any StoreTransaction

    /// Brings a document in line with its collection.
    ///
    /// - Returns: Whether it was not in line.
    func carryOut(on document: DocumentRecord, in collection: CollectionRecord) throws -> Bool {
        guard document.collection == collection.key, collection.isHidden != (document.unifiedID == nil) else { return false }
        if let id = document.unifiedID {
            try hide(document, id)
        } else {
            try show(document, in: CollectionName(scope: collection.scope, name: collection.name))
        }
        return true
    }

    /// Legacy clients hear nothing of it, because a tombstone would be pushed back. What they still write finds the document by its
    /// departure.
    private func hide(_ found: DocumentRecord, _ id: String) throws {
        guard let key = found.key else { return }
        var document = found
        document.localID = found.id
        document.unifiedID = nil
        document.sequence = nil
        let sequence = try transaction.nextSequence()
        try transaction.update(document)
        try assignment.keep(document, at: sequence)
        try transaction.setDeparture(DepartureRecord(collection: .unified, id: id, document: key, sequence: sequence))
    }

    /// The document gets the legacy ID that it had, or else a new one, and appears at the end of the unified feed.
    private func show(_ found: DocumentRecord, in collection: CollectionName) throws {
        guard let key = found.key else { return }
        var document = found
        let id = try legacyID(of: found, key, in: collection, &document.flags)
        document.localID = id.utf8.elementsEqual(found.id.utf8) ? nil : found.id
        document.unifiedID = id
        let sequence = try transaction.nextSequence()
        document.sequence = sequence
        try transaction.update(document)
        try assignment.keep(document, at: sequence)
        try transaction.endDeparture(of: key, as: id, from: .unified, at: sequence)
    }

    private var assignment: ChannelAssignment { ChannelAssignment(database: database, transaction: transaction) }

    private func legacyID(
        of document: DocumentRecord, _ key: DocumentKey, in collection: CollectionName, _ flags: inout DocumentFlags
    ) throws -> String {
        if let id = try transaction.legacyID(of: key) { return id }
        let name = try LegacyNaming(routes: database.routes, snapshot: transaction).name(document.id, in: collection)
        flags.setMembership(of: .qualified, to: name.isQualified)
        return name.id
    }
}
