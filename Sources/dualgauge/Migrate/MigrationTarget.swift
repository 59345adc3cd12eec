import Foundation
import Gateway
import Logging
import Scripting
import Server
import Storage

/// The store that documents are brought into, opened with the routes and collections of a run.
struct MigrationTarget {
    let path: String
    let routes: String?

    /// The routes, checked before anything else is done.
    private let plan: (collections: [CollectionConfiguration], routes: [Route])

    init(path: String, routes: String?) throws {
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
        self.routes = routes
        plan = try routes.map { try ConfigurationFile.readRoutes($0) } ?? ([], [])
        _ = try RouteTable(plan.routes, collections: Set(plan.collections.map(\.name)).union([.default]))
    }

    /// Whether there is a store already.
    var exists: Bool { FileManager.default.fileExists(atPath: path + "/store.sqlite") }

    /// - Parameter collections: those of the source, which its documents stay in.
    func open(collections: [CollectionName], at other: String? = nil, _ scripts: ScriptEngine, _ logger: Logger) async throws -> Database {
        let path = other ?? path
        let store = try SQLiteStore(path: path)
        var configuration = DatabaseConfiguration(name: URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent)
        configuration.routes = plan.routes
        configuration.collections = plan.collections
        let present = try await store.read { try $0.collections() }.map {
            CollectionConfiguration(name: CollectionName(scope: $0.scope, name: $0.name), isHidden: $0.isHidden)
        }
        for collection in present + collections.map({ CollectionConfiguration(name: $0) })
        where collection.name != .default && !configuration.collections.contains(where: { $0.name == collection.name }) {
            configuration.collections.append(collection)
        }
        return try await Database(configuration: configuration, store: store, scripts: scripts, logger: logger, changesVisibility: false)
    }
}
