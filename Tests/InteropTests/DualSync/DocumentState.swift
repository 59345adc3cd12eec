import Documents
import Storage

/// A document on one of the three servers.
struct DocumentState: Equatable, Sendable, CustomStringConvertible {
    let winner: String
    let isDeleted: Bool

    /// All leaves, in order.
    let leaves: [String]
    let body: String

    /// The digests by name.
    let attachments: [String]

    /// `scope.name`.
    let collection: String

    var description: String { "\(winner)\(isDeleted ? " deleted" : "") of \(leaves) \(body) \(attachments) in \(collection)" }

    /// Whether both servers show it equally to their clients.
    func agrees(with other: DocumentState) -> Bool {
        winner == other.winner && isDeleted == other.isDeleted && body == other.body && attachments == other.attachments
    }

    /// All documents of a store, by their legacy IDs.
    static func all(in store: any StoreEngine) async throws -> [String: DocumentState] {
        try await store.read { snapshot in
            var states: [String: DocumentState] = [:]
            try snapshot.feed(.unified, FeedStretch(limit: 1_000)) { row in
                guard let record = try snapshot.document(row.key) else { return true }
                let body = try snapshot.body(of: record.winner, in: record)
                let attachments = try body?.attachments.map { try AttachmentSet($0) }
                let collection = try snapshot.collection(row.collection)
                states[row.id] = DocumentState(
                    winner: row.revision, isDeleted: row.flags.contains(.deleted), leaves: record.tree.leaves.map(\.id.text).sorted(),
                    body: body.map { String(decoding: $0.properties, as: UTF8.self) } ?? "",
                    attachments: attachments?.entries.map { "\($0.name) \($0.digest?.description ?? "")" }.sorted() ?? [],
                    collection: collection.map { "\($0.scope).\($0.name)" } ?? "")
                return true
            }
            return states
        }
    }
}
