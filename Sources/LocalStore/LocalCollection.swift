import Documents
public import Gateway
import Storage

/// The documents of one collection, or of the whole database as one flat set (``LocalDatabase/unified``).
///
/// Every call is one transaction: it sees, or leaves behind, a consistent state. Saved documents are on disk when the call returns.
public struct LocalCollection: Sendable {
    package let keyspace: Keyspace

    package init(_ keyspace: Keyspace) {
        self.keyspace = keyspace
    }

    /// The collection's name; `_default._default` for ``LocalDatabase/unified``.
    public var name: CollectionName { keyspace.collectionName }

    /// Reads a document.
    ///
    /// - Returns: `nil` if there is no such document, or it was deleted.
    /// - Throws: ``LocalStoreError`` with code `unavailable`; `CancellationError`.
    public func document(_ id: String) async throws -> StoredDocument? {
        try await LocalStoreError.translating {
            try await keyspace.read { try $0.document(id)?.current?.live }
        }
    }

    /// Lists documents in the order of the UTF-8 bytes of their IDs.
    ///
    /// - Parameters:
    ///   - id: The list begins after this ID, for example the last one of the previous page; `nil` to begin with the first document.
    ///   - limit: The maximum number of documents, at most 1,000: all of them are in memory at once.
    /// - Returns: Fewer documents than `limit` if there are no more.
    /// - Throws: ``LocalStoreError`` with code `unavailable`; `CancellationError`.
    public func documents(after id: String? = nil, limit: Int = 100) async throws -> [StoredDocument] {
        let limit = max(0, min(limit, 1_000))
        return try await LocalStoreError.translating {
            try await keyspace.read { snapshot in
                var ids: [String] = []
                // The range includes its first ID, which is not listed.
                try snapshot.list(ListRange(from: id), limit: limit + (id == nil ? 0 : 1)) { row in
                    if id.map({ !row.id.utf8.elementsEqual($0.utf8) }) ?? true { ids.append(row.id) }
                    return true
                }
                return try ids.prefix(limit).compactMap { try snapshot.document($0)?.current?.live }
            }
        }
    }

    /// The revisions of a document that conflict: the current one first, then those of other devices that it does not include. The 1.x protocol
    /// keeps them on all devices until one resolves the conflict. The 2.x+ replicator resolves conflicts when it pulls.
    ///
    /// To resolve a conflict, save the first with the properties of all, and delete the others.
    ///
    /// - Returns: At most one revision if there is no conflict.
    /// - Throws: ``LocalStoreError`` with code `unavailable`; `CancellationError`.
    public func conflictingRevisions(of id: String) async throws -> [StoredDocument] {
        try await LocalStoreError.translating {
            try await keyspace.read { snapshot in
                guard let document = try snapshot.document(id) else { return [] }
                return try document.tree.leaves.compactMap { try document.revision($0.id)?.live }
            }
        }
    }

    /// The changes of documents from the time of the call, by the app and by replications.
    ///
    /// - Throws: ``LocalStoreError`` with code `unavailable`; `CancellationError`.
    public func changes() async throws -> DocumentChanges {
        try await LocalStoreError.translating {
            let commits = keyspace.follow()
            return DocumentChanges(keyspace: keyspace, commits: commits, since: FeedPosition(try await keyspace.lastSequence()))
        }
    }
}

/// A revision with its attachments, which a saved document keeps.
struct CollectionRevision: Sendable {
    let document: StoredDocument
    let isDeleted: Bool
    let attachments: AttachmentSet?

    /// The document, unless it is deleted.
    var live: StoredDocument? { isDeleted ? nil : document }
}

extension DocumentView {
    /// The current revision.
    var current: CollectionRevision? {
        get throws { try revision(winner) }
    }

    /// A revision; `nil` if its body is not stored any more.
    func revision(_ id: RevisionID) throws -> CollectionRevision? {
        guard let content = try content(of: id) else { return nil }
        return CollectionRevision(
            document: StoredDocument(id: content.id, revision: id, json: content.body.properties), isDeleted: content.isDeleted,
            attachments: try content.body.attachments.map { try AttachmentSet($0) })
    }
}
