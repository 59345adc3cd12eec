import Documents
import Storage

/// The input of a sync function for an existing document: its winner, and the losing branches.
struct ResyncInput: Sendable {
    struct Leaf: Sendable {
        let revision: RevisionID
        let isDeleted: Bool

        /// `nil` if it was never received.
        let body: StoredBody?
    }

    /// The document as read.
    let record: DocumentRecord

    /// The collection of the sync function: the document's current or future one.
    let collection: CollectionKey

    /// The document's current or future ID in that collection.
    let id: String
    let winner: Leaf
    let losers: [Leaf]

    init(_ record: DocumentRecord, in collection: CollectionKey, id: String, from snapshot: any StoreSnapshot) throws {
        let body = try snapshot.body(of: record.winner, in: record)
        try self.init(record, winnerBody: body, in: collection, id: id, from: snapshot)
    }

    /// - Parameter winnerBody: the winner's body, already read.
    init(
        _ record: DocumentRecord, winnerBody: StoredBody?, in collection: CollectionKey, id: String, from snapshot: any StoreSnapshot
    ) throws {
        self.record = record
        self.collection = collection
        self.id = id
        winner = Leaf(revision: record.winner, isDeleted: record.flags.contains(.deleted), body: winnerBody)
        guard record.flags.contains(.branched) else {
            losers = []
            return
        }
        losers = try record.tree.leaves.filter { $0.id != record.winner }.map {
            Leaf(revision: $0.id, isDeleted: $0.isDeleted, body: try snapshot.body(of: $0.id, in: record))
        }
    }

    /// The input for an import, from its plan.
    init(_ plan: ImportPlan, in collection: CollectionKey, id: String) {
        record = DocumentRecord(
            collection: collection, unifiedID: plan.document.collection == .default ? plan.document.id : id, localID: id, sequence: nil,
            collectionSequence: .zero, winner: plan.winner, flags: [],
            modified: 0, tree: plan.tree)
        self.collection = collection
        self.id = id
        let bodies = Dictionary(
            plan.document.revisions.compactMap { revision in
                revision.replicatedID.map {
                    ($0, StoredBody(properties: revision.body, attachments: revision.attachments.map { $0.stubs() }))
                }
            }, uniquingKeysWith: { _, last in last })
        let leaves = plan.tree.leaves.map { Leaf(revision: $0.id, isDeleted: $0.isDeleted, body: bodies[$0.id]) }
        winner = leaves.first { $0.revision == plan.winner } ?? Leaf(revision: plan.winner, isDeleted: plan.isDeleted, body: nil)
        losers = leaves.filter { $0.revision != plan.winner }
    }

    /// The leaves with stored bodies, the winner first.
    var leaves: [Leaf] { ([winner] + losers).filter { $0.body != nil } }
}
