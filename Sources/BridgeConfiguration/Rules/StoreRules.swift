import Foundation
import Gateway
import SQLiteStorage
import Storage

/// Reports databases that share a store: they would be one database with two names and two sets of rules.
enum StoreRules {
    static func check(_ configuration: ServerConfiguration, _ root: ConfigurationNode) {
        var owners: [String: String] = [:]
        for database in configuration.databases where !database.store.isEmpty {
            let name = database.configuration.name
            let path = resolved(database.store)
            if let other = owners[path] {
                root["databases"]?[name]?["store"]?.refuse(
                    .contradiction, "the databases `\(other)` and `\(name)` have one store, \(path); give each its own")
            }
            owners[path] = owners[path] ?? name
        }
    }

    /// The path with symbolic links resolved, as far as it exists.
    static func resolved(_ path: String) -> String {
        var existing = URL(fileURLWithPath: path).standardizedFileURL
        var rest: [String] = []
        while !FileManager.default.fileExists(atPath: existing.path), existing.pathComponents.count > 1 {
            rest.append(existing.lastPathComponent)
            existing.deleteLastPathComponent()
        }
        return rest.reversed().reduce(existing.resolvingSymlinksInPath()) { $0.appendingPathComponent($1) }.standardizedFileURL.path
    }
}

extension ConfigurationFile {
    /// Like ``check(_:environment:)``, and also compares each store: reports its collections that the file does not name.
    package static func checkWithStores(_ path: String, environment: [String: String]? = nil) async -> CheckedFile<ServerConfiguration> {
        var file = await check(path, environment: environment)
        for database in file.content?.databases ?? [] {
            let name = database.configuration.name
            guard let places = file.databases[name] else { continue }
            file.add(StoreComparison(database, places).findings)
        }
        return file
    }
}

/// Compares a database's store with its configuration.
private struct StoreComparison {
    let findings: [ConfigurationFinding]

    init(_ database: ServerConfiguration.ServedDatabase, _ places: DatabasePlaces) {
        let path = "databases.\(database.configuration.name)"
        do {
            let described = Set(database.configuration.collections.map(\.name)).union([.default])
            let found = try StoreInspection.read(database.store)?.collections ?? []
            findings = found.filter { !described.contains(CollectionName(scope: $0.scope, name: $0.name)) }.map { collection in
                ConfigurationFinding(
                    .warning, .undescribedCollection, at: places.collections, path: "\(path).collections",
                    """
                    the store has the collection `\(collection.scope).\(collection.name)` with \(collection.documents) documents, which the file \
                    does not name; it is served with the settings in the store: add it here
                    """)
            }
        } catch {
            findings = [
                ConfigurationFinding(
                    .error, .badFile, at: places.database, path: "\(path).store",
                    "\((error as? StorageError)?.message ?? "\(database.store): \(error)")")
            ]
        }
    }
}
