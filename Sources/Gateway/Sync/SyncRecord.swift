import Storage

/// The store's word on which function the documents of a collection were judged by.
struct SyncRecord {
    /// More than one, or one that is not known.
    private static let mixed = "mixed"

    let functions: SyncFunctionTable
    let transaction: any StoreTransaction

    /// Notes that documents of the collection are going to be judged by the function that it has now.
    ///
    /// - Returns: Whether all documents in it are judged by that function.
    func note(_ collection: CollectionKey) throws -> Bool {
        let known = try transaction.setting(setting(collection))
        let current = functions.fingerprint(collection)
        // Stores know of functions since there are functions.
        if known ?? SyncFunctionTable.defaultFingerprint == current {
            if known == nil { try set(current, collection) }
            return true
        }
        let counts = try transaction.counts(.collection(collection))
        guard counts.live + counts.tombstones > 0 else {
            try set(current, collection)
            return true
        }
        if known != Self.mixed { try set(Self.mixed, collection) }
        return false
    }

    /// Notes that all documents of the collection have been judged by a function.
    func set(_ fingerprint: String, _ collection: CollectionKey) throws {
        try transaction.set(fingerprint, forSetting: setting(collection))
    }

    private func setting(_ collection: CollectionKey) -> String { "sync.\(collection.value)" }
}
