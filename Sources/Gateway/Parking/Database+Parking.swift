import Documents
package import Storage

extension Database {
    /// Lists parked revisions, with their total number. The total includes surplus revisions that are only counted.
    package func parked(
        _ selection: ParkedSelection = .all, by order: ParkedOrder = .firstRefused, skip: Int = 0, limit: Int
    ) async throws -> (revisions: [ParkedRevision], total: Int) {
        try await store.read { snapshot in
            (try snapshot.parked(selection, by: order, skip: skip, limit: limit), try snapshot.parkedCount(selection))
        }
    }

    /// The current state of parked revisions: `nil` for those that were accepted, superseded or removed.
    package func parked(_ keys: [Int64]) async throws -> [ParkedRevision?] {
        try await store.read { snapshot in try keys.map { try snapshot.parked($0) } }
    }

    /// Removes parked revisions from the list: they are not sent again.
    ///
    /// - Returns: The number of removed revisions.
    package func forgetParked(_ selection: ParkedSelection) async throws -> Int {
        try await store.write { try $0.forgetParked(selection) }
    }

    /// Removes pushes that will not be sent again because a newer revision has followed.
    ///
    /// - Parameter selection: The revisions to check, up to the length of the list.
    package func releaseOvertaken(_ selection: ParkedSelection) async throws {
        let entries = try await parked(selection, limit: ParkedRevision.maximumCount).revisions
        for (place, group) in Dictionary(grouping: entries, by: { [$0.replication, $0.collection] }) {
            let name = CollectionName(place[1])
            guard let keyspace = place[1].isEmpty ? unified : name.flatMap({ keyspace($0) }) else { continue }
            try await Parking(place[0], in: self).releaseOvertaken(group.map(\.id), in: keyspace, isOnly: false)
        }
    }
}

extension StoreTransaction {
    /// Removes the parked pushes of purged documents, which will never be sent again.
    ///
    /// - Parameter documents: The documents before they were purged.
    func releaseParkedPushes(of documents: [DocumentRecord]) throws {
        guard !documents.isEmpty else { return }
        let parked = try parked(ParkedSelection(direction: .push), by: .firstRefused, skip: 0, limit: ParkedRevision.maximumCount)
        guard !parked.isEmpty else { return }
        var places: Set<ParkedPlace> = []
        for document in documents {
            if let id = document.unifiedID { places.insert(ParkedPlace(collection: "", id: id)) }
            guard let collection = try collection(document.collection) else { continue }
            let name = collection.collectionName
            places.insert(ParkedPlace(collection: name.description, id: document.id))
        }
        for entry in parked where places.contains(ParkedPlace(collection: entry.collection, id: entry.id)) {
            try releaseParked(entry.key)
        }
    }
}

/// The place of a parked revision's document.
private struct ParkedPlace: Hashable {
    let collection: String
    let id: ExactString

    init(collection: String, id: String) {
        self.collection = collection
        self.id = ExactString(id)
    }
}
