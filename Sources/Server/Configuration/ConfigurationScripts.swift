public import Gateway
import Scripting

/// Compiles the JavaScript of a configuration, so that `config check` finds what `serve` would.
public enum ConfigurationScripts {
    /// - Throws: ``ConfigurationError`` that names the database and the function.
    public static func validate(_ configuration: ServerConfiguration) async throws {
        let engine = ScriptEngine()
        for database in configuration.databases {
            let path = "databases.\(database.configuration.name)"
            try await check(database.configuration.collections, database.configuration.routes, at: "\(path).", engine)
            if let source = database.configuration.conflictResolver {
                let place = "\(path).conflicts.javascript"
                try await check(ScriptFunction<ConflictInput, ConflictResolution>.resolver(source, owner: place), at: place, engine)
            }
            for (name, replication) in database.replications {
                try await check(replication, at: "\(path).replications.\(name)", engine)
            }
        }
    }

    /// Compiles the JavaScript of a file of routes.
    ///
    /// - Throws: ``ConfigurationError`` that names the function.
    public static func validate(collections: [CollectionConfiguration], routes: [Route]) async throws {
        try await check(collections, routes, at: "", ScriptEngine())
    }

    private static func check(
        _ collections: [CollectionConfiguration], _ routes: [Route], at path: String, _ engine: ScriptEngine
    ) async throws {
        for (index, route) in routes.enumerated() {
            guard case .javaScript(let source) = route.condition else { continue }
            let place = "\(path)routes[\(index + 1)].when.javascript"
            try await check(ScriptFunction<[UInt8], Bool>.predicate(source, owner: place), at: place, engine)
        }
        for collection in collections {
            guard let source = collection.syncFunction, !source.isEmpty else { continue }
            let place = "\(path)collections.\(collection.name).sync"
            try await check(ScriptFunction<SyncFunctionInput, SyncFunctionResult>.sync(source, owner: place), at: place, engine)
        }
    }

    private static func check(_ replication: ReplicationDefinition, at path: String, _ engine: ScriptEngine) async throws {
        if case .javaScript(let source) = replication.filter?.function {
            let place = "\(path).filter.javascript"
            try await check(ScriptFunction<FilterInput, Bool>.filter(source, owner: place), at: place, engine)
        }
        if case .javaScript(let source) = replication.resolver {
            let place = "\(path).resolver"
            try await check(ScriptFunction<ConflictInput, ConflictResolution>.resolver(source, owner: place), at: place, engine)
        }
    }

    private static func check<Input, Output>(
        _ function: ScriptFunction<Input, Output>, at path: String, _ engine: ScriptEngine
    ) async throws {
        do {
            try await engine.compile(function)
        } catch let error as ScriptError {
            throw ConfigurationError(.badValue, at: path, "the function does not compile: \(error.message)")
        }
    }
}
