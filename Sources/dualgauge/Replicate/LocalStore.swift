import Foundation
import Gateway
import Logging
import Scripting
import Storage

/// A store that the command line opens as a database, without a configuration.
enum LocalStore {
    /// Opens the store in the folder at `path`, with the collections that it has and those that are asked for.
    static func open(
        _ path: String, creating: Bool, collections: [CollectionName], _ scripts: ScriptEngine, _ logger: Logger
    ) async throws -> Database {
        var options = SQLiteStore.Options()
        options.createsIfMissing = creating
        let store = try SQLiteStore(path: path, options: options)
        var configuration = DatabaseConfiguration(name: URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent)
        configuration.collections = try await store.read { try $0.collections() }.map {
            CollectionConfiguration(name: CollectionName(scope: $0.scope, name: $0.name), isHidden: $0.isHidden)
        }
        let known = Set(configuration.collections.map(\.name)).union([.default])
        configuration.collections += collections.filter { !known.contains($0) }.map { CollectionConfiguration(name: $0) }
        return try await Database(configuration: configuration, store: store, scripts: scripts, logger: logger, changesVisibility: false)
    }
}
