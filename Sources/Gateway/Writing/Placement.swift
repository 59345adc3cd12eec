import Documents
import Storage

/// Where a new document lives, and what it is called there and in the unified keyspace.
struct Placement {
    struct Place {
        let collection: CollectionKey
        let unifiedID: String?
        let localID: String?

        /// The legacy ID by which it was written, where the collection is hidden: later writes still find it.
        var formerUnifiedID: String?

        var flags: DocumentFlags = []
    }

    let database: Database
    let scope: FeedScope
    let snapshot: any StoreSnapshot

    func place(_ write: RevisionWrite, verdicts: [Int: Bool]) throws -> Place {
        switch scope {
        case .unified: try placeByRoutes(write, verdicts: verdicts)
        case .collection(let key): try place(write.id, in: key)
        }
    }

    /// Whether the routes would put the document elsewhere now. It stays where it is: it is pinned.
    func isMisplaced(_ document: DocumentRecord, by write: RevisionWrite, verdicts: [Int: Bool]) throws -> Bool {
        guard !write.isDeleted, let id = document.unifiedID else { return document.flags.contains(.misplaced) }
        return wantedCollection(id, write, verdicts).key != document.collection
    }

    /// The collection in which the routes want a document that is written into the default collection, and its ID there; `nil` if they want it
    /// nowhere else. A tombstone tells nothing of what the document was.
    func wantedElsewhere(
        _ write: RevisionWrite, of document: DocumentRecord?, in collection: CollectionKey, verdicts: [Int: Bool]
    ) -> (key: CollectionKey, id: String)? {
        guard collection == .default, !write.isDeleted else { return nil }
        let wanted = wantedCollection(document?.unifiedID ?? write.id, write, verdicts)
        return wanted.key == .default ? nil : wanted
    }

    private func placeByRoutes(_ write: RevisionWrite, verdicts: [Int: Bool]) throws -> Place {
        // A bare tombstone tells nothing of what the document was.
        guard !write.isDeleted else { return Place(collection: .default, unifiedID: write.id, localID: nil) }
        return try place(write.id, at: wantedCollection(write.id, write, verdicts))
    }

    /// The place of a new document of this legacy ID, where the routes want it.
    func place(_ legacyID: String, at wanted: (key: CollectionKey, id: String)) throws -> Place {
        let (key, id) = wanted
        // An ID that is taken there belongs to another document; this one stays in the default collection.
        guard try key == .default || !snapshot.isTaken(id, in: key, besides: legacyID) else {
            return Place(collection: .default, unifiedID: legacyID, localID: nil, flags: .misplaced)
        }
        let flags: DocumentFlags = key == .default ? [] : .routed
        if try snapshot.isHidden(key) {
            return Place(collection: key, unifiedID: nil, localID: id, formerUnifiedID: legacyID, flags: flags)
        }
        return Place(collection: key, unifiedID: legacyID, localID: id.utf8.elementsEqual(legacyID.utf8) ? nil : id, flags: flags)
    }

    private func wantedCollection(_ id: String, _ write: RevisionWrite, _ verdicts: [Int: Bool]) -> (key: CollectionKey, id: String) {
        guard let match = database.routes.match(id, body: write.body, verdicts: verdicts),
            let collection = database.collections[match.collection]
        else {
            return (.default, id)
        }
        return (collection.key, match.id)
    }

    /// A document that a modern client creates gets the legacy ID that the routes derive, or a qualified one if that is taken.
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
    /// Whether a document has this ID in the collection.
    ///
    /// - Parameter legacyID: the legacy ID of the one that is to come there, which is not there yet. No other document has it.
    func isTaken(_ id: String, in collection: CollectionKey, besides legacyID: String?) throws -> Bool {
        guard let legacyID, id.utf8.elementsEqual(legacyID.utf8) else { return try document(in: collection, id: id) != nil }
        return try hasLocalID(id, in: collection)
    }

    /// Whether a collection's documents are left out of the unified keyspace, as it is now: another process may have changed it.
    func isHidden(_ key: CollectionKey) throws -> Bool {
        guard key != .default else { return false }
        return try collection(key)?.isHidden ?? false
    }
}
