import Access
public import Logging
public import Scripting
public import Storage

/// A database: its store, its collections and its routes. Clients meet it through its keyspaces.
public final class Database: Sendable {
    public let name: String
    public let configuration: DatabaseConfiguration
    let store: any Store
    let scripts: ScriptEngine
    let logger: Logger
    let routes: RouteTable

    /// Where the sequences of the store begin.
    public let origin: SequenceNumber

    private let catalog: CatalogCache

    /// Every collection that the store has.
    var collections: CollectionTable { catalog.current.collections }
    var syncFunctions: SyncFunctionTable { catalog.current.syncFunctions }

    /// What resolves conflicts as they arrive; `nil` for the default rule, or where they are not resolved.
    let conflictResolver: ScriptFunction<ConflictInput, ConflictResolution>?
    let rightsCache = RightsCache()
    let unknownPositions = UnknownPositionCounter()
    let readers = DeviceFlag()
    let feedScheduler = FeedScheduler()

    /// Who is connected, and what is followed.
    public let activity = Activity()
    let firstClients: FirstClients

    /// Who uses it.
    public let visits: Visits

    /// Is told of documents that expire.
    public let expiryTimer = ExpiryTimer()

    /// Opens a database over a store.
    ///
    /// - Parameters:
    ///   - use: what becomes of the configuration where it says other things than the store.
    ///   - greetings: which clients have come before it was opened.
    /// - Throws: ``GatewayError`` with code `configuration` if the routes or a function cannot be used, or what the store throws.
    public init(
        configuration: DatabaseConfiguration, store: any Store, scripts: ScriptEngine, logger: Logger, use: ConfigurationUse = .applied,
        firstClients: FirstClients = FirstClients()
    ) async throws {
        name = configuration.name
        self.configuration = configuration
        self.scripts = scripts
        self.logger = logger
        self.firstClients = firstClients
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

    /// Checks that the functions of the configuration compile.
    private func compile() async throws {
        for (index, function) in routes.predicates.enumerated() {
            guard let function else { continue }
            do {
                try await scripts.compile(function)
            } catch let error as ScriptError where error.code == .compile {
                throw GatewayError(.configuration, "Route \(index + 1): its JavaScript is no function that compiles", cause: error)
            }
        }
        if let conflictResolver {
            do {
                try await scripts.compile(conflictResolver)
            } catch let error as ScriptError where error.code == .compile {
                throw GatewayError(.configuration, "The JavaScript that resolves conflicts is no function that compiles", cause: error)
            }
        }
        try await checkSyncFunctions()
    }

    /// Every document that legacy clients may see.
    public var unified: Keyspace { Keyspace(database: self, scope: .unified, name: name) }

    /// One collection; `nil` if the store had none of this name when it was read last.
    public func keyspace(_ collection: CollectionName) -> Keyspace? {
        collections[collection].map {
            Keyspace(database: self, scope: .collection($0.key), name: "\(name).\(collection)")
        }
    }

    /// Reads which collections the store has. Another process may have added some since they were read last.
    public func readCollections() async throws {
        _ = try await store.read { try $0.collectionsVersion }
    }

    /// What a client gets that asks for collections by name, in its order; `nil` for those that are not there.
    public func keyspaces(_ names: [CollectionName]) -> [Keyspace?] {
        names.map { name in
            guard name == .default else { return keyspace(name) }
            switch configuration.defaultCollection {
            case .unified: return unified
            case .remainder: return keyspace(.default)
            case .auto: return names.count == 1 ? unified : keyspace(.default)
            }
        }
    }

    public func close() async throws {
        try await store.close()
    }
}

extension Database {
    /// What someone may do, as of a snapshot.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` for a user that is not there or was disabled, and for a guest where none is let in.
    func rights(of principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        do {
            return try rightsCache.rights(of: principal, in: snapshot)
        } catch let error as AccessError where error.code == .accountGone || error.code == .accountDisabled {
            throw GatewayError(.unauthorized, "Invalid login", cause: error)
        }
    }

    /// For how long an attachment that nothing names stays, in milliseconds: the document that names it may be on its way.
    private static var attachmentGrace: Int64 { 3_600_000 }

    /// Deletes attachments that nothing has named for an hour, in small transactions; returns how many.
    public func collectAttachments() async throws -> Int {
        var total = 0
        while true {
            let count = try await store.write { try $0.collectAttachments(olderThan: Self.attachmentGrace, limit: 100) }
            total += count
            if count == 0 { return total }
            try Task.checkCancellation()
        }
    }
}
