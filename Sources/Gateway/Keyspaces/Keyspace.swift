public import Access
import Documents
public import Storage
import Synchronization

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
    var share: ReadPriority { ReadPriority(client: principal.grantee) }

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

extension Keyspace {
    /// The same keyspace as `principal` sees it.
    ///
    /// - Parameter login: By which a user has come in: once it has ended, nothing more is read with it. `nil` where that is seen to elsewhere.
    public func seen(by principal: Principal, login: LoginProof? = nil) -> Keyspace {
        var keyspace = self
        keyspace.principal = principal
        keyspace.login = login
        return keyspace
    }

    /// What its reader may do, as of the snapshot.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` if the user is no longer there, or was disabled, or the login has ended.
    func rights(in snapshot: any StoreSnapshot) throws -> Rights {
        let rights = try database.rights(of: principal, in: snapshot)
        guard login.map(rights.areHeld) ?? true else { throw GatewayError(.unauthorized, "Invalid login") }
        return rights
    }

    /// Finds out whether who asks may still do so.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` for a user that is not there any more or was disabled, and for a guest where none is let in.
    public func requireAccess() async throws {
        _ = try await store.read(as: share) { try rights(in: $0) }
    }

    /// The access to each collection whose documents are here.
    func access(of rights: Rights) -> [CollectionKey: ChannelAccess] {
        switch scope {
        case .collection(let key): [key: rights.access(to: key)]
        case .unified:
            Dictionary(
                database.collections.records.lazy.filter { !$0.isHidden }.map { ($0.key, rights.access(to: $0.key)) }
            ) { first, _ in first }
        }
    }

    /// What replicators call it where they are not told otherwise: its collection, or the default one for the unified keyspace.
    public var collectionName: CollectionName {
        guard case .collection(let key) = scope, let record = database.collections[key] else { return .default }
        return record.collectionName
    }

    /// The database's UUID, 16 bytes, by which its replicators name their checkpoints.
    public func databaseUUID() async throws -> [UInt8] {
        try await store.read(as: share) { try $0.uuid }
    }

    /// Notes that devices may have documents from now on: those that they read, and their own. What is taken away after that has to be told.
    func recordDevice() async throws {
        if !principal.isAdministrator { try await database.readers.set(in: store) }
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

/// Notes in the store that a device is going to read a feed or to push: once, before the first row or document.
final class DeviceFlag: Sendable {
    private let isSet = Mutex(false)

    func set(in store: any Store) async throws {
        guard !isSet.withLock({ $0 }) else { return }
        if try await !store.read({ try $0.hasReaders }) { try await store.write { try $0.recordReader() } }
        isSet.withLock { $0 = true }
    }
}
