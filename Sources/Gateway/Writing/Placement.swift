import Documents
import Storage

/// Determines the collection, the local ID and the legacy ID of new documents.
struct Placement {
    struct Place {
        let collection: CollectionKey
        let unifiedID: String?
        let localID: String?

        /// The legacy ID of the write if the collection is hidden: later writes still find the document.
        var formerUnifiedID: String?

        var flags: DocumentFlags = []
    }

    let database: Database
    let scope: FeedScope
    let snapshot: any StoreSnapshot

    func place(_ write: RevisionWrite, predicateResults: [Int: Bool]) throws -> Place {
        switch scope {
        case .unified: try placeByRoutes(write, predicateResults: predicateResults)
        case .collection(let key): try place(write.id, in: key)
        }
    }

    /// Whether the routes would place the document in another collection by now. It stays in its collection.
    func isMisplaced(_ document: DocumentRecord, by write: RevisionWrite, predicateResults: [Int: Bool]) throws -> Bool {
        guard !write.isDeleted, let id = document.unifiedID else { return document.flags.contains(.misplaced) }
        return wantedCollection(id, write, predicateResults).key != document.collection
    }

    /// The collection and ID that the routes want for a document in the default collection; `nil` if they want no other collection. A tombstone has
    /// no properties to match.
    func wantedElsewhere(
        _ write: RevisionWrite, of document: DocumentRecord?, in collection: CollectionKey, predicateResults: [Int: Bool]
    ) -> (key: CollectionKey, id: String)? {
        guard collection == .default, !write.isDeleted else { return nil }
        let wanted = wantedCollection(document?.unifiedID ?? write.id, write, predicateResults)
        return wanted.key == .default ? nil : wanted
    }

    private func placeByRoutes(_ write: RevisionWrite, predicateResults: [Int: Bool]) throws -> Place {
        // A tombstone alone has no properties to match.
        guard !write.isDeleted else { return Place(collection: .default, unifiedID: write.id, localID: nil) }
        return try place(write.id, at: wantedCollection(write.id, write, predicateResults))
    }

    /// The place of a new document with this legacy ID that the routes want in a collection.
    func place(_ legacyID: String, at wanted: (key: CollectionKey, id: String)) throws -> Place {
        let (key, id) = wanted
        // If another document has the ID in the collection, this one stays in the default collection.
        guard try key == .default || !snapshot.isTaken(id, in: key, besides: legacyID) else {
            return Place(collection: .default, unifiedID: legacyID, localID: nil, flags: .misplaced)
        }
        let flags: DocumentFlags = key == .default ? [] : .routed
        if try snapshot.isHidden(key) {
            return Place(collection: key, unifiedID: nil, localID: id, formerUnifiedID: legacyID, flags: flags)
        }
        return Place(collection: key, unifiedID: legacyID, localID: id.utf8.elementsEqual(legacyID.utf8) ? nil : id, flags: flags)
    }

    private func wantedCollection(_ id: String, _ write: RevisionWrite, _ predicateResults: [Int: Bool]) -> (key: CollectionKey, id: String)
    {
        guard let match = database.routes.match(id, body: write.body, predicateResults: predicateResults),
            let collection = database.collections[match.collection]
        else {
            return (.default, id)
        }
        return (collection.key, match.id)
    }

    /// The place of a document that a modern client creates. It gets the legacy ID that the routes derive, or a qualified ID if that is taken.
    private func place(_ id: String, in key: CollectionKey) throws -> Place {
        guard let collection = database.collections[key] else {
            throw GatewayError(.notFound, "The collection is no longer configured")
        }
        if try snapshot.isHidden(key) { return Place(collection: key, unifiedID: nil, localID: id) }
        let name = try LegacyNaming(routes: database.routes, snapshot: snapshot).name(
            id, in: collection.collectionName)
        return Place(
            collection: key, unifiedID: name.id, localID: name.id.utf8.elementsEqual(id.utf8) ? nil : id,
            flags: name.isQualified ? .qualified : [])
    }
}

extension StoreSnapshot {
    /// Whether another document has this ID in the collection.
    ///
    /// - Parameter legacyID: the legacy ID of the document to place, which is in another collection. No other document has this legacy ID.
    func isTaken(_ id: String, in collection: CollectionKey, besides legacyID: String?) throws -> Bool {
        guard let legacyID, id.utf8.elementsEqual(legacyID.utf8) else { return try document(in: collection, id: id) != nil }
        return try hasLocalID(id, in: collection)
    }

    /// Whether a collection is hidden from the unified keyspace in this snapshot: another process may have changed it.
    func isHidden(_ key: CollectionKey) throws -> Bool {
        guard key != .default else { return false }
        return try collection(key)?.isHidden ?? false
    }
}
