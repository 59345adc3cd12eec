import Foundation
import Gateway
import Storage
import Stores

/// Reports databases that share a store: they would be one database with two names and two sets of rules.
enum StoreRules {
    static func check(_ configuration: ServerConfiguration, _ root: ConfigurationNode) {
        var owners: [String: String] = [:]
        for database in configuration.databases where !database.store.isFolder("") {
            let name = database.configuration.name
            guard let place = try? database.store.identity() else { continue }
            if let other = owners[place] {
                root["databases"]?[name]?["store"]?.refuse(
                    .contradiction, "the databases `\(other)` and `\(name)` have one store, \(place); give each its own")
            }
            owners[place] = owners[place] ?? name
        }
    }
}

extension ConfigurationNode {
    /// The place of a database's store: a folder, or a schema of a PostgreSQL database, which has the database's name unless the address names it.
    func store(of database: String, in folder: URL) throws -> StoreLocation {
        let text = try nonEmptyText()
        guard StoreLocation.isPostgreSQL(text) else { return .folder(ServerConfiguration.path(text, in: folder)) }
        do {
            let location = try StoreLocation(text).named(database)
            _ = try location.identity()
            return location
        } catch let error as StorageError {
            throw self.error(.badValue, error.message)
        }
    }

    /// The place of the stores of databases that are made on the admin port: a folder, or a PostgreSQL database.
    func storeHome(in folder: URL) throws -> String {
        let text = try text()
        guard StoreLocation.isPostgreSQL(text) else { return ServerConfiguration.path(text, in: folder) }
        do {
            _ = try StoreHome(text)
            return text
        } catch let error as StorageError {
            throw self.error(.badValue, error.message)
        }
    }
}

extension ConfigurationFile {
    /// Like ``check(_:environment:)``, and also compares each store: reports its collections that the file does not name.
    package static func checkWithStores(_ path: String, environment: [String: String]? = nil) async -> CheckedFile<ServerConfiguration> {
        var file = await check(path, environment: environment)
        for database in file.content?.databases ?? [] {
            let name = database.configuration.name
            guard let places = file.databases[name] else { continue }
            file.add(await StoreComparison(database, places).findings)
        }
        return file
    }
}

/// Compares a database's store with its configuration.
private struct StoreComparison {
    let findings: [ConfigurationFinding]

    init(_ database: ServerConfiguration.ServedDatabase, _ places: DatabasePlaces) async {
        let path = "databases.\(database.configuration.name)"
        do {
            let described = Set(database.configuration.collections.map(\.name)).union([.default])
            let found = try await database.store.inspect()?.collections ?? []
            findings = found.filter { !described.contains(CollectionName(scope: $0.scope, name: $0.name)) }.map { collection in
                ConfigurationFinding(
                    .warning, .undescribedCollection, at: places.collections, path: "\(path).collections",
                    """
                    the store has the collection `\(collection.scope).\(collection.name)` with \(collection.documents) documents, which the file \
                    does not name; it is served with the settings in the store: add it here
                    """)
            }
        } catch let error as StorageError where error.code == .inputOutput && database.store.isShared {
            findings = [
                ConfigurationFinding(
                    .warning, .unreachableStore, at: places.database, path: "\(path).store",
                    "\(error.message) Until then the bridge answers the database's requests with 503.")
            ]
        } catch {
            findings = [
                ConfigurationFinding(
                    .error, .badFile, at: places.database, path: "\(path).store",
                    "\((error as? StorageError)?.message ?? "\(database.store): \(error)")")
            ]
        }
    }
}
