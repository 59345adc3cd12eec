import Foundation
import Gateway
import Logging
import Scripting
import Storage

/// A store that the command line opens as a database, with the rules by which it was served last.
enum LocalStore {
    /// Opens the store in the folder at `path`, with the collections that it has and those that are asked for.
    static func open(
        _ path: String, creating: Bool, collections: [CollectionName], _ scripts: ScriptEngine, _ logger: Logger
    ) async throws -> Database {
        var options = SQLiteStore.Options()
        options.createsIfMissing = creating
        let store = try SQLiteStore(path: path, options: options)
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        var configuration = try await DatabaseConfiguration.lastServed(name, from: store)
        configuration.collections = collections.map { CollectionConfiguration(name: $0) }
        return try await Database(configuration: configuration, store: store, scripts: scripts, logger: logger, use: .added)
    }
}
