import Access
import Documents
import Scripting
import Storage

/// Finds out what sync functions have to be asked, from a snapshot.
struct SyncCaseReader {
    let keyspace: Keyspace
    let functions: SyncFunctionTable
    let snapshot: any StoreSnapshot
    let rights: Rights

    /// - Returns: `nil` if no script is needed: the default function holds, the revision is known, or the write will be refused anyway.
    func read(_ write: RevisionWrite, verdicts: [Int: Bool]) throws -> SyncCase? {
        guard !DocumentID.isDesign(write.id) else { return nil }
        let document = try keyspace.locate(write.id, in: snapshot, followingMoves: true)
        let collection: CollectionKey
        if let document {
            collection = document.collection
        } else {
            collection = try Placement(database: keyspace.database, scope: keyspace.scope, snapshot: snapshot).place(
                write, verdicts: verdicts
            )
            .collection
        }
        guard functions[collection] != nil else { return nil }
        var tree = document?.tree ?? RevisionTree()
        let version = try snapshot.version(for: write, of: document)
        guard
            let (revision, isNew) = try? RevisionGrowth(database: keyspace.database).grow(
                &tree, with: write, winner: document?.winner, version: version), isNew
        else { return nil }
        let parent = try tree.parent(of: revision).flatMap { parent in try document.flatMap { try json(of: parent, in: $0, as: write.id) } }
        let input = SyncFunctionInput(
            document: ScriptedDocument.json(write.id, revision, write.isDeleted, write.body, write.attachments.map { $0.stubs() }),
            oldDocument: parent, user: rights.scriptUser(in: collection))
        return SyncCase(
            collection: collection, base: document?.collectionSequence, revision: input,
            winner: try otherWinner(tree, document, revision: revision, id: write.id))
    }

    /// A branch that had lost, and wins because the winner is closed.
    private func otherWinner(_ tree: RevisionTree, _ document: DocumentRecord?, revision: RevisionID, id: String) throws
        -> SyncFunctionInput?
    {
        guard let document, let winner = tree.winner, winner.id != revision, winner.id != document.winner else { return nil }
        return try json(of: winner.id, in: document, as: id).map { SyncFunctionInput(document: $0) }
    }

    private func json(of revision: RevisionID, in document: DocumentRecord, as id: String) throws -> [UInt8]? {
        try snapshot.body(of: revision, in: document).map {
            ScriptedDocument.json(id, revision, document.tree.node(revision)?.isDeleted ?? false, $0.properties, $0.attachments)
        }
    }
}
