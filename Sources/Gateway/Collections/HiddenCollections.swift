import Logging
import Storage

extension Database {
    /// Applies changes of collection visibility to the documents: hides them from legacy clients, or shows them again.
    ///
    /// Runs in small transactions between those of other writers. After an interruption it resumes at the last position.
    func applyHiddenCollections() async throws {
        for collection in try await store.read({ try $0.collections() }) where collection.pending != nil {
            var count = 0
            while let step = try await hidingStep(in: collection.key, limit: Self.visibilityBatch) {
                count += step
                try Task.checkCancellation()
            }
            logger.notice(
                "\(collection.scope).\(collection.name) is \(collection.isHidden ? "hidden from" : "shown to") legacy clients",
                metadata: ["documents": "\(count)"])
        }
    }

    /// Processes the next documents of a collection whose visibility was changed.
    ///
    /// - Returns: The number of changed documents; `nil` when none are left.
    func hidingStep(in key: CollectionKey, limit: Int) async throws -> Int? {
        // The search may take long where the collection has few documents among many, so it runs outside of the write transaction.
        let found = try await store.read { snapshot -> (collection: CollectionRecord, keys: [DocumentKey])? in
            guard let collection = try snapshot.collection(key), let pending = collection.pending else { return nil }
            var keys: [DocumentKey] = []
            try snapshot.documents(in: key, after: pending, limit: limit) { document in
                if let key = document.key { keys.append(key) }
                return true
            }
            return (collection, keys)
        }
        guard let found else { return nil }
        let database = self
        return try await store.write { transaction in
            // Another process may have processed these documents, or changed the visibility again.
            guard try transaction.collection(key) == found.collection else { return 0 }
            let change = CollectionHiding(database: database, transaction: transaction)
            var count = 0
            for key in found.keys {
                guard let document = try transaction.document(key) else { continue }
                if try change.carryOut(on: document, in: found.collection) { count += 1 }
            }
            try transaction.setPending(found.keys.last, in: key)
            return count
        }
    }

    /// Documents per transaction.
    private static var visibilityBatch: Int { 500 }
}

/// Removes documents from the unified keyspace, or adds them again, within one transaction. Their collection and revisions stay unchanged.
struct CollectionHiding {
    let database: Database
    let transaction: any StoreTransaction

    /// Changes a document's visibility to its collection's.
    ///
    /// - Returns: Whether the document was changed.
    func carryOut(on document: DocumentRecord, in collection: CollectionRecord) throws -> Bool {
        guard document.collection == collection.key, collection.isHidden != (document.unifiedID == nil) else { return false }
        if let id = document.unifiedID {
            try hide(document, id)
        } else {
            try show(document, in: collection.collectionName)
        }
        return true
    }

    /// Legacy clients are not notified, because they would push back a tombstone. Their later writes find the document by its departure record.
    private func hide(_ found: DocumentRecord, _ id: String) throws {
        guard let key = found.key else { return }
        var document = found
        document.localID = found.id
        document.unifiedID = nil
        document.sequence = nil
        let sequence = try transaction.nextSequence()
        try transaction.update(document)
        try assignment.moveEntries(of: document, to: sequence)
        try transaction.setDeparture(DepartureRecord(collection: .unified, id: id, document: key, sequence: sequence))
    }

    /// Gives the document its former legacy ID, or else a new one, and adds it at the end of the unified feed.
    private func show(_ found: DocumentRecord, in collection: CollectionName) throws {
        guard let key = found.key else { return }
        var document = found
        let id = try legacyID(of: found, key, in: collection, &document.flags)
        document.localID = id.utf8.elementsEqual(found.id.utf8) ? nil : found.id
        document.unifiedID = id
        let sequence = try transaction.nextSequence()
        document.sequence = sequence
        try transaction.update(document)
        try assignment.moveEntries(of: document, to: sequence)
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
