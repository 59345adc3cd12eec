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

    /// Every collection that the configuration names, and the default one.
    let collections: CollectionTable
    let syncFunctions: SyncFunctionTable

    /// What resolves conflicts as they arrive; `nil` for the default rule, or where they are not resolved.
    let conflictResolver: ScriptFunction<ConflictInput, ConflictResolution>?
    let rightsCache = RightsCache()
    let unknownPlaces = PlaceCount()

    /// Who is connected, and what is followed.
    public let activity = Activity()

    /// Is told of documents that expire.
    public let expiryAlarm = ExpiryAlarm()

    /// Opens a database over a store, and adds the configured collections to it.
    ///
    /// Where the configuration hides a collection that holds documents, or shows it again, that is carried out on the documents before
    /// anybody is served.
    ///
    /// - Parameter changesVisibility: Whether it is. Otherwise the store's collections stay hidden or visible as they are, and nothing is said
    ///   of sync functions that were changed.
    /// - Throws: ``GatewayError`` with code `configuration` if the routes cannot be used, or what the store throws.
    public init(
        configuration: DatabaseConfiguration, store: any Store, scripts: ScriptEngine, logger: Logger, changesVisibility: Bool = true
    ) async throws {
        name = configuration.name
        self.configuration = configuration
        self.store = store
        self.scripts = scripts
        self.logger = logger
        let names = Set(configuration.collections.map(\.name)).union([.default])
        routes = try RouteTable(configuration.routes, collections: names, owner: configuration.name)
        for (index, function) in routes.predicates.enumerated() {
            guard let function else { continue }
            do {
                try await scripts.compile(function)
            } catch let error as ScriptError where error.code == .compile {
                throw GatewayError(.configuration, "Route \(index + 1): its JavaScript is no function that compiles", cause: error)
            }
        }
        conflictResolver =
            configuration.conflicts == .resolve
            ? configuration.conflictResolver.map { .resolver($0, owner: "\(configuration.name).conflicts") } : nil
        if let conflictResolver {
            do {
                try await scripts.compile(conflictResolver)
            } catch let error as ScriptError where error.code == .compile {
                throw GatewayError(.configuration, "The JavaScript that resolves conflicts is no function that compiles", cause: error)
            }
        }
        collections = try await CollectionTable.open(configuration.collections, in: store, changesVisibility: changesVisibility)
        syncFunctions = SyncFunctionTable(configuration.collections, collections: collections, owner: configuration.name)
        try await syncFunctions.compile(collections, with: scripts)
        if changesVisibility {
            try await compareSyncFunctions()
            try await carryOutVisibility()
        }
    }

    /// Every document that legacy clients may see.
    public var unified: Keyspace { Keyspace(database: self, scope: .unified, name: name) }

    /// One collection; `nil` if the configuration does not name it.
    public func keyspace(_ collection: CollectionName) -> Keyspace? {
        collections[collection].map {
            Keyspace(database: self, scope: .collection($0.key), name: "\(name).\(collection)")
        }
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
