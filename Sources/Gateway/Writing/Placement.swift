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

    private func placeByRoutes(_ write: RevisionWrite, verdicts: [Int: Bool]) throws -> Place {
        // A bare tombstone tells nothing of what the document was.
        guard !write.isDeleted else { return Place(collection: .default, unifiedID: write.id, localID: nil) }
        let (key, id) = wantedCollection(write.id, write, verdicts)
        // An ID that is taken there belongs to another document; this one stays in the default collection.
        guard try key == .default || snapshot.document(in: key, id: id) == nil else {
            return Place(collection: .default, unifiedID: write.id, localID: nil)
        }
        if database.collections[key]?.isHidden == true {
            return Place(collection: key, unifiedID: nil, localID: id, formerUnifiedID: write.id)
        }
        return Place(collection: key, unifiedID: write.id, localID: id.utf8.elementsEqual(write.id.utf8) ? nil : id)
    }

    private func wantedCollection(_ id: String, _ write: RevisionWrite, _ verdicts: [Int: Bool]) -> (key: CollectionKey, id: String) {
        let subject = RouteSubject(id: id, body: write.body, channels: Channels.ofProperty(in: write.body), verdicts: verdicts)
        guard let match = database.routes.match(subject), let collection = database.collections[match.collection] else {
            return (.default, id)
        }
        return (collection.key, match.id)
    }

    /// A document that a modern client creates gets the legacy ID that the routes derive, or a qualified one if that is taken.
    private func place(_ id: String, in key: CollectionKey) throws -> Place {
        guard let collection = database.collections[key] else {
            throw GatewayError(.notFound, "The collection is no longer configured")
        }
        guard !collection.isHidden else { return Place(collection: key, unifiedID: nil, localID: id) }
        let name = CollectionName(scope: collection.scope, name: collection.name)
        var unifiedID = database.routes.unifiedID(of: id, in: name)
        while try isTaken(unifiedID) {
            unifiedID = "\(name)::\(unifiedID)"
        }
        return Place(collection: key, unifiedID: unifiedID, localID: unifiedID.utf8.elementsEqual(id.utf8) ? nil : id)
    }

    private func isTaken(_ unifiedID: String) throws -> Bool {
        if try snapshot.document(unifiedID: unifiedID) != nil { return true }
        return try snapshot.departure(from: .unified, id: unifiedID) != nil
    }
}
