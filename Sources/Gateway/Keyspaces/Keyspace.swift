package import Access
import Coordination
import Documents
package import Storage

/// The unit that a client replicates: one collection, or the unified keyspace.
///
/// Both listeners and both replicators use keyspaces, and are independent of routes, moves and the store.
package struct Keyspace: Sendable {
    package let database: Database

    /// The scope that determines the feed's order.
    package let scope: FeedScope

    /// Its name in URLs and logs: the database's, with `.scope.collection` for a collection.
    package let name: String

    /// The user for reads and writes.
    package internal(set) var principal = Principal.administrator

    /// The login of the reading user.
    var login: LoginProof?

    init(database: Database, scope: FeedScope, name: String) {
        self.database = database
        self.scope = scope
        self.name = name
    }

    var store: any Store { database.store }

    /// The scheduling priority of this keyspace's reads.
    var share: ReadPriority { ReadPriority(client: principal.grantee) }

    /// Finds a document by its ID in this keyspace.
    ///
    /// - Parameter followingMoves: whether to find a moved document at its former place, too. Writes are applied at the document's current place,
    ///   so that no edit of a device that reconnects late is lost; reads are not.
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

    /// Announces documents that will be located, so that a store on another machine reads them all at once.
    ///
    /// - Parameter details: What will be read of them besides their records.
    func announceLookups(of ids: [String], to snapshot: any StoreSnapshot, with details: AnnouncedDetails = []) throws {
        try snapshot.announceLookups(of: ids, legacyIDs: [], in: scope, with: details)
    }

    /// Announces the documents of writes, whose places are looked up, too.
    func announceLookups(of writes: some Collection<RevisionWrite>, to snapshot: any StoreSnapshot, with details: AnnouncedDetails) throws {
        let ids = writes.map(\.id)
        guard ids.count > 1, case .collection(let key) = scope, let name = database.collections[key]?.collectionName else {
            return try announceLookups(of: ids, to: snapshot, with: details)
        }
        let legacyIDs = ids.map { database.routes.unifiedID(of: $0, in: name) }
        try snapshot.announceLookups(of: ids, legacyIDs: legacyIDs, in: scope, with: details)
    }
}

extension Keyspace {
    /// The same keyspace with another principal.
    ///
    /// - Parameter login: The login of the user: reads fail once it has ended. `nil` where the caller checks this.
    package func seen(by principal: Principal, login: LoginProof? = nil) -> Keyspace {
        var keyspace = self
        keyspace.principal = principal
        keyspace.login = login
        return keyspace
    }

    /// The principal's rights in the snapshot.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` if the user does not exist any more or is disabled, or the login has ended.
    func rights(in snapshot: any StoreSnapshot) throws -> Rights {
        let rights = try database.rights(of: principal, in: snapshot)
        guard login.map(rights.areHeld) ?? true else { throw GatewayError(.unauthorized, "Invalid login") }
        return rights
    }

    /// Checks that the principal still has access.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` for a missing or disabled user, and for a guest where guests are not allowed.
    package func requireAccess() async throws {
        _ = try await store.read(as: share) { try rights(in: $0) }
    }

    /// The access to each collection with documents in this keyspace.
    func access(of rights: Rights) -> [CollectionKey: ChannelAccess] {
        switch scope {
        case .collection(let key): [key: rights.access(to: key)]
        case .unified:
            Dictionary(
                database.collections.records.lazy.filter { !$0.isHidden }.map { ($0.key, rights.access(to: $0.key)) }
            ) { first, _ in first }
        }
    }

    /// The default collection name for replicators: this collection, or the default collection for the unified keyspace.
    package var collectionName: CollectionName {
        guard case .collection(let key) = scope, let record = database.collections[key] else { return .default }
        return record.collectionName
    }

    /// Whether a reader has access to every document of the keyspace.
    func isSeenWhole(with rights: Rights) -> Bool {
        rights.isAdministrator || access(of: rights).values.allSatisfy(\.seesEverything)
    }

    /// The details that are read of documents, and those that decide a reader's access to them.
    func details(_ details: AnnouncedDetails, for rights: Rights) -> AnnouncedDetails {
        isSeenWhole(with: rights) ? details : details.union(.channels)
    }

    /// The database's UUID, 16 bytes, which replicators use in the IDs of their checkpoints.
    package func databaseUUID() async throws -> [UInt8] {
        try await store.read(as: share) { try $0.uuid }
    }

    /// The restores of the store from backups.
    package func restores() async throws -> RestoreHistory {
        try await store.read(as: share) { try $0.restores() }
    }

    /// Records that devices may have documents from now on: documents that they read, and their own. Later losses have to be announced to them.
    func recordDevice() async throws {
        if !principal.isAdministrator { try await database.readers.set(in: store) }
    }
}

extension FeedScope {
    /// The key of departures from this scope. A document leaves the unified keyspace when it is moved to a hidden collection.
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
    /// Stands for the unified keyspace in departure records; no collection has this key.
    package static let unified = CollectionKey(0)
}

/// Records in the store that a device is about to read a feed or to push: once, before the first row or document.
final class DeviceFlag: Sendable {
    private let isSet = Lock(false)

    func set(in store: any Store) async throws {
        guard !isSet.withLock({ $0 }) else { return }
        if try await !store.read({ try $0.hasReaders }) { try await store.write { try $0.recordReader() } }
        isSet.withLock { $0 = true }
    }
}
