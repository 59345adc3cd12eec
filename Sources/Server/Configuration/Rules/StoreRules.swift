import Foundation
import Gateway

/// Two databases in one store would be one database under two names and two sets of rules.
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

    /// The path without links, as far as it exists already.
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
