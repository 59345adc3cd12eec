import Gateway
import Storage

extension StoreSource: LegacyNamed {
    func legacyIDs(of documents: [SourceDocument]) async throws -> [String?] {
        let names = documents.map { ($0.collection, $0.id) }
        return try await reading { snapshot in
            let collections = try snapshot.collections()
            let keys = Dictionary(
                collections.map { (CollectionName(scope: $0.scope, name: $0.name), $0.key) }, uniquingKeysWith: { $1 })
            return try names.map { collection, id in
                guard let document = try keys[collection].flatMap({ try snapshot.document(in: $0, id: id) }) else { return nil }
                // In a hidden collection a document keeps the legacy ID under which it was written as the place that it has left.
                return try document.unifiedID ?? document.key.flatMap { try snapshot.legacyID(of: $0) }
            }
        }
    }
}
