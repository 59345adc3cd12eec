package import Access
package import Logging
package import Scripting
package import Storage
package import Telemetry

/// A database: its store, its collections and its routes. Clients access it through its keyspaces.
package final class Database: Sendable {
    package let name: String
    package let configuration: DatabaseConfiguration
    let store: any Store
    let scripts: ScriptEngine
    let logger: Logger
    let routes: RouteTable

    /// The store's first sequence.
    package let origin: SequenceNumber

    private let catalog: CatalogCache

    /// The store's collections.
    var collections: CollectionTable { catalog.current.collections }
    var syncFunctions: SyncFunctionTable { catalog.current.syncFunctions }

    /// The function that resolves conflicts on arrival; `nil` for the default rule, or where conflicts are not resolved.
    let conflictResolver: ScriptFunction<ConflictInput, ConflictResolution>?
    let rightsCache: RightsCache
    let unknownPositions: UnknownPositionCounter
    let readers: DeviceFlag
    let feedScheduler: FeedScheduler

    /// Connected clients, and feeds being followed.
    package let activity: Activity
    let firstClients: FirstClients

    /// Records which clients use the database.
    package let visits: Visits

    /// Receives the expiry times of written documents.
    package let expiryTimer: ExpiryTimer

    /// Opens a database over a store.
    ///
    /// - Parameters:
    ///   - use: how the configuration applies where it differs from the store.
    ///   - firstClients: the kinds of clients that connected before the database was opened.
    ///   - metrics: receives the durations of feeds' work.
    /// - Throws: ``GatewayError`` with code `configuration` if the routes or a function cannot be used; the store's errors.
    package init(
        configuration: DatabaseConfiguration, store: any Store, scripts: ScriptEngine, logger: Logger, use: ConfigurationUse = .applied,
        firstClients: FirstClients = FirstClients(), metrics: MetricsRegistry = MetricsRegistry()
    ) async throws {
        name = configuration.name
        self.configuration = configuration
        self.scripts = scripts
        self.logger = logger
        self.firstClients = firstClients
        (rightsCache, unknownPositions, readers) = (RightsCache(), UnknownPositionCounter(), DeviceFlag())
        (activity, expiryTimer, feedScheduler) = (Activity(), ExpiryTimer(), FeedScheduler(metrics))
        catalog = CatalogCache(owner: configuration.name, trial: use == .tried ? configuration.collections : [])
        self.store = CatalogedStore(base: store, catalog: catalog)
        visits = Visits(store: self.store)
        let present: [CollectionName]
        (origin, present) = try await self.store.read { (try $0.origin, try $0.collections().map(\.collectionName)) }
        let names = Set(configuration.collections.map(\.name)).union(present)
        routes = try RouteTable(configuration.routes, collections: names, owner: configuration.name)
        conflictResolver =
            configuration.conflicts == .resolve
            ? configuration.conflictResolver.map { .resolver($0, owner: "\(configuration.name).conflicts") } : nil
        try await compile()
        switch use {
        case .applied: try await apply()
        case .added: try await addCollections()
        case .tried: break
        }
    }

    /// The same database, of which each write checks a condition in its own transaction.
    private init(_ other: Database, check: @escaping @Sendable (any StoreTransaction) throws -> Void) {
        (name, configuration, scripts, logger, routes) = (other.name, other.configuration, other.scripts, other.logger, other.routes)
        (origin, catalog, conflictResolver) = (other.origin, other.catalog, other.conflictResolver)
        (rightsCache, unknownPositions, readers) = (other.rightsCache, other.unknownPositions, other.readers)
        (feedScheduler, activity, firstClients) = (other.feedScheduler, other.activity, other.firstClients)
        (visits, expiryTimer) = (other.visits, other.expiryTimer)
        store = FencedStore(other.store, check: check)
    }

    /// The same database for work that one bridge at a time does. It shares everything in memory.
    ///
    /// - Parameter check: throws in a write's transaction if the work belongs to another bridge now.
    package func fenced(by check: @escaping @Sendable (any StoreTransaction) throws -> Void) -> Database {
        Database(self, check: check)
    }

    /// Checks that the functions of the configuration compile.
    private func compile() async throws {
        for (index, function) in routes.predicates.enumerated() {
            guard let function else { continue }
            do {
                try await scripts.compile(function)
            } catch let error as ScriptError where error.code == .compile {
                throw GatewayError(.configuration, "Route \(index + 1): the JavaScript is not a function that compiles", cause: error)
            }
        }
        if let conflictResolver {
            do {
                try await scripts.compile(conflictResolver)
            } catch let error as ScriptError where error.code == .compile {
                throw GatewayError(.configuration, "The JavaScript that resolves conflicts is not a function that compiles", cause: error)
            }
        }
        try await checkSyncFunctions()
    }

    /// The keyspace of all documents that are visible to legacy clients.
    package var unified: Keyspace { Keyspace(database: self, scope: .unified, name: name) }

    /// The keyspace of one collection; `nil` if the store had no collection of this name at the last read.
    package func keyspace(_ collection: CollectionName) -> Keyspace? {
        collections[collection].map {
            Keyspace(database: self, scope: .collection($0.key), name: "\(name).\(collection)")
        }
    }

    /// Reads the store's collections. Another process may have added some since the last read.
    package func readCollections() async throws {
        _ = try await store.read { try $0.collectionsVersion }
    }

    /// The keyspaces for a client that requests collections by name, in its order; `nil` for collections that do not exist.
    package func keyspaces(_ names: [CollectionName]) -> [Keyspace?] {
        names.map { name in
            guard name == .default else { return keyspace(name) }
            switch configuration.defaultCollection {
            case .unified: return unified
            case .remainder: return keyspace(.default)
            case .auto: return names.count == 1 ? unified : keyspace(.default)
            }
        }
    }

    package func close() async throws {
        try await store.close()
    }
}

extension Database {
    /// A principal's rights in a snapshot.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` for a missing or disabled user, and for a guest where guests are not allowed.
    func rights(of principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        do {
            return try rightsCache.rights(of: principal, in: snapshot)
        } catch let error as AccessError where error.code == .accountGone || error.code == .accountDisabled {
            throw GatewayError(.unauthorized, "Invalid login", cause: error)
        }
    }

    /// The channels of a user in any collection, by their external names; empty for a user who does not exist.
    package func channels(of principal: Principal) async throws -> Set<String> {
        try await store.read { [rightsCache] snapshot in
            guard let rights = try? rightsCache.rights(of: principal, in: snapshot) else { return [] }
            return rights.collectionKeys.reduce(into: []) { $0.formUnion(rights.access(to: $1).names) }
        }
    }

    /// How long an unreferenced attachment stays, in milliseconds: the document that references it may still arrive.
    private static var attachmentGrace: Int64 { 3_600_000 }

    /// Deletes attachments that have been unreferenced for an hour, in small transactions; returns their number.
    package func collectAttachments() async throws -> Int {
        var total = 0
        while true {
            let count = try await store.write { try $0.collectAttachments(olderThan: Self.attachmentGrace, limit: 100) }
            total += count
            if count == 0 { return total }
            try Task.checkCancellation()
        }
    }
}
