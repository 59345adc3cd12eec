import Logging
import Storage

extension Database {
    /// Carries out on the documents that collections were hidden from legacy clients, or are shown to them again.
    ///
    /// It goes in small transactions between those of other writers, and on where it stopped, whatever stopped it.
    func carryOutVisibility() async throws {
        for collection in try await store.read({ try $0.collections() }) where collection.pending != nil {
            var count = 0
            while let step = try await visibilityStep(in: collection.key, limit: Self.visibilityBatch) {
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
    func visibilityStep(in key: CollectionKey, limit: Int) async throws -> Int? {
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
            let change = VisibilityChange(database: database, transaction: transaction)
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
