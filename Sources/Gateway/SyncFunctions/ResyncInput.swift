import Documents
import Storage

/// A document that is there already, about which a sync function is asked anew: its winner, and the branches that have lost.
struct ResyncInput: Sendable {
    struct Leaf: Sendable {
        let revision: RevisionID
        let isDeleted: Bool

        /// `nil` if it never came.
        let body: StoredBody?
    }

    /// The document as it was read.
    let record: DocumentRecord

    /// Whose function is asked: where the document lives, or is going to.
    let collection: CollectionKey

    /// The ID that the document has, or will have, in that collection.
    let id: String
    let winner: Leaf
    let losers: [Leaf]

    init(_ record: DocumentRecord, in collection: CollectionKey, id: String, from snapshot: any StoreSnapshot) throws {
        let body = try snapshot.body(of: record.winner, in: record)
        try self.init(record, winnerBody: body, in: collection, id: id, from: snapshot)
    }

    /// - Parameter winnerBody: the winner's body, which has been read already.
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

    /// A document that is going to be there.
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

    /// The leaves whose bodies are here, the winner first.
    var leaves: [Leaf] { ([winner] + losers).filter { $0.body != nil } }
}
