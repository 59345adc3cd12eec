public import Access
import Documents
public import Storage

/// What a client replicates with: one collection, or the unified keyspace.
///
/// Both listeners and both replicators work against a keyspace and know nothing of routes, moves and the store.
public struct Keyspace: Sendable {
    public let database: Database

    /// Whose order its feed follows.
    public let scope: FeedScope

    /// Its name in URLs and logs: the database's, with `.scope.collection` for a collection.
    public let name: String

    /// Who reads and writes through it.
    public internal(set) var principal = Principal.administrator

    /// The login by which a user reads.
    var login: LoginProof?

    init(database: Database, scope: FeedScope, name: String) {
        self.database = database
        self.scope = scope
        self.name = name
    }

    var store: any Store { database.store }

    /// Its reader's turn among those who read.
    var share: ReadShare { ReadShare(client: principal.grantee) }

    /// Finds a document by its ID here.
    ///
    /// - Parameter followingMoves: whether a document is found at its old place, too, after it was moved. Writes are
    ///   applied where the document lives now, so that no edit of a device that comes back late is lost; reads are not.
    func locate(_ id: String, in snapshot: any StoreSnapshot, followingMoves: Bool) throws -> DocumentRecord? {
        let found =
            switch scope {
            case .unified: try snapshot.document(unifiedID: id)
            case .collection(let key): try snapshot.document(in: key, id: id)
            }
        if let found { return found }
        guard followingMoves, let departure = try snapshot.departure(from: scope.departureKey, id: id) else { return nil }
        return try snapshot.document(departure.document)
    }
}

extension FeedScope {
    /// Under which key departures from here are kept: a document leaves the unified keyspace when it goes to a hidden collection.
    var departureKey: CollectionKey {
        switch self {
        case .unified: .unified
        case .collection(let key): key
        }
    }
}

extension StoreSnapshot {
    /// The legacy ID that a document had before it left the unified keyspace.
    package func legacyID(of document: DocumentKey) throws -> String? {
        try departures(of: document).last { $0.collection == .unified }?.id
    }
}

extension CollectionKey {
    /// Stands for the unified keyspace among departures; no collection has it.
    package static let unified = CollectionKey(0)
}
