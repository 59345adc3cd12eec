/// A read-only inspection of a store, without migration and without new files.
package struct StoreInspection: Sendable {
    /// A collection and its number of documents, including tombstones.
    package struct Collection: Hashable, Sendable {
        package let scope: String
        package let name: String
        package let documents: Int64

        package init(scope: String, name: String, documents: Int64) {
            self.scope = scope
            self.name = name
            self.documents = documents
        }
    }

    package let collections: [Collection]

    package init(collections: [Collection]) {
        self.collections = collections
    }
}
