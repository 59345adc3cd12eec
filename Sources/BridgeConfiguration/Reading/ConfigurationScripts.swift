import Gateway
import Scripting

/// Compiles the JavaScript of a configuration.
package enum ConfigurationScripts {
    /// Compiles the functions of a configuration that does not come from a file.
    ///
    /// - Throws: ``ConfigurationError`` with the databases and functions that fail.
    package static func validate(_ configuration: ServerConfiguration) async throws {
        let scripts = configuration.databases.flatMap { database in
            let path = "databases.\(database.configuration.name)"
            var scripts = Self.scripts(database.configuration.collections, database.configuration.routes, at: "\(path).")
            if let source = database.configuration.conflictResolver {
                scripts.append(ConfigurationScript(.resolver, source, path: "\(path).conflicts.javascript"))
            }
            scripts += database.configuration.filters.sorted { $0.key < $1.key }.map {
                ConfigurationScript(.filter, $0.value, path: "\(path).filters.\($0.key)")
            }
            return scripts + database.replications.sorted { $0.key < $1.key }.flatMap { Self.scripts($1, at: "\(path).replications.\($0)") }
        }
        if let error = ConfigurationError(await faults(in: scripts)) { throw error }
    }

    /// The errors of the functions, in the functions' order.
    static func faults(in scripts: [ConfigurationScript]) async -> [ConfigurationFinding] {
        let engine = ScriptEngine()
        var faults: [ConfigurationFinding] = []
        for script in scripts {
            if let fault = await script.fault(engine) { faults.append(fault) }
        }
        await engine.stop()
        return faults
    }

    private static func scripts(
        _ collections: [CollectionConfiguration], _ routes: [Route], at path: String
    ) -> [ConfigurationScript] {
        let predicates = routes.enumerated().compactMap { index, route -> ConfigurationScript? in
            guard case .javaScript(let source) = route.condition else { return nil }
            return ConfigurationScript(.predicate, source, path: "\(path)routes[\(index + 1)].when.javascript")
        }
        return predicates
            + collections.compactMap { collection in
                // An empty text stands for the default function.
                collection.syncFunction.flatMap { $0.isEmpty ? nil : $0 }.map {
                    ConfigurationScript(.sync, $0, path: "\(path)collections.\(collection.name).sync")
                }
            }
    }

    private static func scripts(_ replication: ReplicationDefinition, at path: String) -> [ConfigurationScript] {
        var scripts: [ConfigurationScript] = []
        if case .javaScript(let source) = replication.filter?.function {
            scripts.append(ConfigurationScript(.filter, source, path: "\(path).filter.javascript"))
        }
        if case .javaScript(let source) = replication.resolver {
            scripts.append(ConfigurationScript(.resolver, source, path: "\(path).resolver"))
        }
        return scripts
    }
}
