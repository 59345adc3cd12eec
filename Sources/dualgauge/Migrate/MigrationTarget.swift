import BridgeConfiguration
import Foundation
import Gateway
import Logging
import Scripting
import Server
import Storage
import Stores

/// The target store of a migration, opened with the routes and collections of the run.
struct MigrationTarget {
    let location: StoreLocation
    let routes: String?

    /// The parsed routes. They are validated before the run changes anything.
    private let plan: (collections: [CollectionConfiguration], routes: [Route])

    init(path: String, routes: String?) throws {
        location = try StoreArgument.location(path)
        self.routes = routes
        plan = try routes.map { try ConfigurationFile.readRoutes($0) } ?? ([], [])
        _ = try RouteTable(plan.routes, collections: Set(plan.collections.map(\.name)).union([.default]))
    }

    /// The place of the store for reports, without a password.
    var label: String { "\(location)" }

    /// Whether the store exists.
    func exists() async throws -> Bool { try await location.exists() }

    /// Opens the store with the settings with which it was last served. The route file adds collections, and overrides the settings that it
    /// contains.
    ///
    /// - Parameters:
    ///   - collections: the collections of the source, in which its documents remain.
    ///   - use: whether the store persists the added collections.
    func open(
        collections: [CollectionName], at other: String? = nil, use: ConfigurationUse = .added, _ scripts: ScriptEngine, _ logger: Logger
    ) async throws -> Database {
        let location = other.map { StoreLocation.folder($0) } ?? location
        let store = try await location.open()
        var configuration = try await DatabaseConfiguration.lastServed(location.name, from: store)
        if routes != nil { configuration.routes = plan.routes }
        configuration.collections = plan.collections
        let described = Set(plan.collections.map(\.name)).union([.default])
        configuration.collections += collections.filter { !described.contains($0) }.map { CollectionConfiguration(name: $0) }
        return try await Database(configuration: configuration, store: store, scripts: scripts, logger: logger, use: use)
    }
}

/// A store that a command opens as a database, with the rules with which it was last served.
enum LocalStore {
    /// Opens the store at a path or address, with its own collections and the given ones.
    static func open(
        _ text: String, creating: Bool, collections: [CollectionName], _ scripts: ScriptEngine, _ logger: Logger
    ) async throws -> Database {
        let location = try StoreArgument.location(text)
        let store = try await location.open(StoreOptions(createsIfMissing: creating))
        var configuration = try await DatabaseConfiguration.lastServed(location.name, from: store)
        configuration.collections = collections.map { CollectionConfiguration(name: $0) }
        return try await Database(configuration: configuration, store: store, scripts: scripts, logger: logger, use: .added)
    }
}

/// A temporary folder.
struct ScratchFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
