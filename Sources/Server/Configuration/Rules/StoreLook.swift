import Gateway
import Storage

extension ConfigurationFile {
    /// As ``check(_:environment:)``, and looks into the stores, too: which collections they have that the file does not name.
    public static func checkWithStores(_ path: String, environment: [String: String]? = nil) async -> CheckedFile<ServerConfiguration> {
        var file = await check(path, environment: environment)
        for database in file.content?.databases ?? [] {
            let name = database.configuration.name
            guard let places = file.databases[name] else { continue }
            file.add(StoreLook(database, places).findings)
        }
        return file
    }
}

/// What a database's store says that its configuration does not.
private struct StoreLook {
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
                    the store has the collection `\(collection.scope).\(collection.name)` with \(collection.documents) documents, which the file does not \
                    name; it is served as the store knows it: name it here
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
