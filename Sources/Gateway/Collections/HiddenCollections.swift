import Logging
import Storage

extension Database {
    /// Carries out on the documents that collections were hidden from legacy clients, or are shown to them again.
    ///
    /// It goes in small transactions between those of other writers, and on where it stopped, whatever stopped it.
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

    /// Looks at the next documents of a collection whose visibility was changed.
    ///
    /// - Returns: How many were changed; `nil` when there is nothing left to do.
    func hidingStep(in key: CollectionKey, limit: Int) async throws -> Int? {
        // The search may be long where the collection's documents are few among many, so it does not hold up writers.
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
            // Another process may have gone on with it, or turned it round.
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

    /// Documents in one transaction.
    private static var visibilityBatch: Int { 500 }
}

/// Takes documents out of the unified keyspace, or brings them back, within one transaction. Where they live stays as it is, and so do
/// their revisions.
struct CollectionHiding {
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
            try show(document, in: collection.collectionName)
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
