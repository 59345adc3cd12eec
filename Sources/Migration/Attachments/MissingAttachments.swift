import Documents
package import Gateway
import Storage

/// Attachments that documents of a store reference and whose bytes the store lacks.
package struct MissingAttachments: Sendable {
    /// Number of documents in one snapshot.
    private static let batch = 100

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    /// Visits the missing attachments of all leaves, document by document.
    package func each(_ visit: (MissingAttachment) throws -> Void) async throws {
        var last = DocumentKey(0)
        while true {
            let after = last
            let (found, end) = try await database.inSnapshot { snapshot in
                let keys = try snapshot.documentsMissingAttachments(after: after, limit: Self.batch)
                return (try keys.flatMap { try Self.missing(of: $0, in: snapshot) }, keys.last)
            }
            for attachment in found { try visit(attachment) }
            guard let end else { return }
            last = end
        }
    }

    package func count() async throws -> Int {
        var count = 0
        try await each { _ in count += 1 }
        return count
    }

    /// Whether each of some source documents is stored without all of its attachments.
    static func lacking(_ documents: [SourceDocument], in snapshot: any StoreSnapshot) throws -> [Bool] {
        let isComplete = try snapshot.documentsMissingAttachments(after: DocumentKey(0), limit: 1).isEmpty
        guard !isComplete else { return documents.map { _ in false } }
        let keys = Dictionary(
            try snapshot.collections().map { (CollectionName(scope: $0.scope, name: $0.name), $0.key) }, uniquingKeysWith: { $1 })
        return try documents.map { document in
            let record =
                try document.collection == .default
                ? snapshot.document(unifiedID: document.id)
                : keys[document.collection].flatMap { try snapshot.document(in: $0, id: document.id) }
            guard let key = record?.key else { return false }
            return try !snapshot.missingAttachments(of: key).isEmpty
        }
    }

    private static func missing(of key: DocumentKey, in snapshot: any StoreSnapshot) throws -> [MissingAttachment] {
        guard let document = try snapshot.document(key) else { return [] }
        let digests = try snapshot.missingAttachments(of: key)
        let collection = try snapshot.collections().first { $0.key == document.collection }
        let name = collection.map { CollectionName(scope: $0.scope, name: $0.name).description } ?? ""
        return try document.tree.leaves.flatMap { leaf -> [MissingAttachment] in
            guard let json = try snapshot.body(of: leaf.id, in: document)?.attachments else { return [] }
            return try AttachmentSet(json).entries.filter { digests.contains($0.digest?.description ?? "") }.map { entry in
                MissingAttachment(
                    collection: name, id: document.id, revision: leaf.id.text, name: entry.name, digest: entry.digest?.description)
            }
        }
    }
}

/// An attachment whose bytes are missing. Its document is stored and still references it.
package struct MissingAttachment: Codable, Sendable, Equatable {
    /// `scope.name`.
    package var collection: String

    /// The document's ID.
    package var id: String
    package var revision: String
    package var name: String

    /// `nil` if the document does not contain the digest.
    package var digest: String?

    package init(collection: String, id: String, revision: String, name: String, digest: String?) {
        self.collection = collection
        self.id = id
        self.revision = revision
        self.name = name
        self.digest = digest
    }

    init(_ entry: AttachmentMetadata, of document: SourceDocument, _ revision: SourceRevision) {
        self.init(
            collection: document.collection.description, id: document.id, revision: revision.history.first?.text ?? "", name: entry.name,
            digest: entry.digest?.description)
    }
}

extension MissingAttachment {
    /// Encodes every key; unknown values are null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(collection, forKey: .collection)
        try values.encode(id, forKey: .id)
        try values.encode(revision, forKey: .revision)
        try values.encode(name, forKey: .name)
        try values.encode(digest, forKey: .digest)
    }
}
