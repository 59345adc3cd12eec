import Documents
import Storage

/// Finds the legacy ID of a document that was not created under one.
struct LegacyNaming {
    let routes: RouteTable
    let snapshot: any StoreSnapshot

    /// The legacy ID that the routes derive, or a qualified one if that is another document's or no ID at all.
    ///
    /// - Parameter id: The document's ID in the collection.
    func name(_ id: String, in collection: CollectionName) throws -> (id: String, isQualified: Bool) {
        let derived = routes.unifiedID(of: id, in: collection)
        if (try? DocumentID.validate(derived)) != nil, try isFree(derived) { return (derived, false) }
        var attempt = 1
        while true {
            let qualified = LegacyID.qualified(id, in: collection, attempt: attempt)
            if try isFree(qualified) { return (qualified, true) }
            attempt += 1
        }
    }

    /// Whether no document has the legacy ID, nor had it before its collection was hidden: writes under it would still go there.
    func isFree(_ id: String) throws -> Bool {
        try snapshot.document(unifiedID: id) == nil && snapshot.departure(from: .unified, id: id) == nil
    }
}
