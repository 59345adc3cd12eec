import Documents
public import Storage

extension Database {
    /// Parked revisions, and how many there are in all, those included of which only the number is kept.
    public func parked(
        _ selection: ParkedSelection = .all, by order: ParkedOrder = .firstRefused, skip: Int = 0, limit: Int
    ) async throws -> (revisions: [ParkedRevision], total: Int) {
        try await store.read { snapshot in
            (try snapshot.parked(selection, by: order, skip: skip, limit: limit), try snapshot.parkedCount(selection))
        }
    }

    /// What has become of parked revisions by now: `nil` for those that have got through, were overtaken or forgotten.
    public func parked(_ keys: [Int64]) async throws -> [ParkedRevision?] {
        try await store.read { snapshot in try keys.map { try snapshot.parked($0) } }
    }

    /// Takes parked revisions off the list: they are not sent again.
    ///
    /// - Returns: How many there were.
    public func forgetParked(_ selection: ParkedSelection) async throws -> Int {
        try await store.write { try $0.forgetParked(selection) }
    }

    /// Takes pushes off the list that will not be sent again, because something newer has followed.
    ///
    /// - Parameter selection: Which ones are looked at; at most as many as the list keeps.
    public func releaseOvertaken(_ selection: ParkedSelection) async throws {
        let entries = try await parked(selection, limit: ParkedRevision.maximumCount).revisions
        for (place, group) in Dictionary(grouping: entries, by: { [$0.replication, $0.collection] }) {
            let name = CollectionName(place[1])
            guard let keyspace = place[1].isEmpty ? unified : name.flatMap({ keyspace($0) }) else { continue }
            try await Parking(place[0], in: self).releaseOvertaken(group.map(\.id), in: keyspace, isOnly: false)
        }
    }
}

extension StoreTransaction {
    /// Documents are no more: what was parked because another side refused it will never be sent again.
    ///
    /// - Parameter documents: As they were before they were purged.
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

/// Where a parked revision's document is.
private struct ParkedPlace: Hashable {
    let collection: String
    let id: ExactString

    init(collection: String, id: String) {
        self.collection = collection
        self.id = ExactString(id)
    }
}
