import Access
import Documents
import Scripting
import Storage

/// Determines the sync function calls for writes, from a snapshot.
struct SyncFunctionCallReader {
    let keyspace: Keyspace
    let functions: SyncFunctionTable
    let snapshot: any StoreSnapshot
    let rights: Rights

    /// - Returns: `nil` if no script is needed: the default function applies, the revision exists already, or the write will be refused anyway.
    func read(_ write: RevisionWrite, predicateResults: [Int: Bool]) throws -> SyncFunctionCall? {
        guard !DocumentID.isDesign(write.id) else { return nil }
        let document = try keyspace.locate(write.id, in: snapshot, followingMoves: true)
        let placement = Placement(database: keyspace.database, scope: keyspace.scope, snapshot: snapshot)
        let place = try document == nil ? placement.place(write, predicateResults: predicateResults) : nil
        let collection = document?.collection ?? place?.collection ?? .default
        let id = functions.documentID(
            document?.id ?? place?.localID ?? place?.unifiedID ?? write.id,
            legacy: document.map(\.unifiedID) ?? place?.unifiedID, in: collection)
        let wanted = wantedElsewhere(write, of: document, in: collection, placement, predicateResults)
        guard functions[collection] != nil || wanted != nil else { return nil }
        var tree = document?.tree ?? RevisionTree()
        let version = try snapshot.version(for: write, of: document)
        guard
            let (revision, isNew) = try? RevisionInsertion(database: keyspace.database).grow(
                &tree, with: write, winner: document?.winner, version: version), isNew
        else { return nil }
        func input(_ id: String, for collection: CollectionKey) throws -> SyncFunctionInput {
            SyncFunctionInput(
                document: ScriptedDocument.written(id, revision, write.isDeleted, write.body),
                oldDocument: try document.flatMap { try previous(of: revision, in: tree, $0, as: id) },
                user: rights.scriptUser(in: collection))
        }
        let isAsked = functions[collection] != nil
        return SyncFunctionCall(
            collection: collection, base: document?.collectionSequence, revision: isAsked ? try input(id, for: collection) : nil,
            winner: isAsked ? try otherWinner(tree, document, revision: revision, id: id) : nil,
            wanted: try wanted.map { SyncFunctionCall.Wanted(collection: $0.key, input: try input($0.id, for: $0.key)) })
    }

    /// The collection that the routes want for the document, if it has its own function. A user's write is evaluated by that function, too, because
    /// a move of the document to the collection would evaluate it as an administrator.
    private func wantedElsewhere(
        _ write: RevisionWrite, of document: DocumentRecord?, in collection: CollectionKey, _ placement: Placement,
        _ predicateResults: [Int: Bool]
    ) -> (key: CollectionKey, id: String)? {
        guard !rights.isAdministrator else { return nil }
        return placement.wantedElsewhere(write, of: document, in: collection, predicateResults: predicateResults).flatMap {
            functions.hasOwn($0.key) ? $0 : nil
        }
    }

    /// A losing branch that becomes the winner because this write closes the winner: the writer needs the right to write that branch.
    private func otherWinner(_ tree: RevisionTree, _ document: DocumentRecord?, revision: RevisionID, id: String) throws
        -> SyncFunctionInput?
    {
        guard let document, let winner = tree.winner, winner.id != revision, winner.id != document.winner else { return nil }
        return try snapshot.body(of: winner.id, in: document).map {
            SyncFunctionInput(
                document: ScriptedDocument.written(id, winner.id, winner.isDeleted, $0.properties),
                oldDocument: try previous(of: winner.id, in: tree, document, as: id),
                user: rights.scriptUser(in: document.collection))
        }
    }

    private func previous(of revision: RevisionID, in tree: RevisionTree, _ document: DocumentRecord, as id: String) throws -> [UInt8]? {
        guard let parent = tree.parent(of: revision) else { return nil }
        return try snapshot.body(of: parent, in: document).map {
            ScriptedDocument.previous(id, document.tree.node(parent)?.isDeleted ?? false, $0.properties, $0.attachments)
        }
    }
}

/// The sync function calls for one write.
struct SyncFunctionCall: Sendable {
    /// The document's current or future collection.
    let collection: CollectionKey
    let base: SequenceNumber?

    /// `nil` if the collection has the default function.
    let revision: SyncFunctionInput?

    /// The branch that becomes the winner by the write.
    let winner: SyncFunctionInput?

    /// The call of the function of the collection that the routes want.
    let wanted: Wanted?

    struct Wanted: Sendable {
        let collection: CollectionKey
        let input: SyncFunctionInput
    }
}
