import Documents
import Storage

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
            let name = CollectionName(scope: collection.scope, name: collection.name)
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
