import Gateway
import Scripting

/// Compiles the JavaScript of a configuration, so that `config check` finds what `serve` would.
public enum ConfigurationScripts {
    /// - Throws: ``ConfigurationError`` that names the database and the function.
    public static func validate(_ configuration: ServerConfiguration) async throws {
        let engine = ScriptEngine()
        for database in configuration.databases {
            let path = "databases.\(database.configuration.name)"
            for (index, route) in database.configuration.routes.enumerated() {
                guard case .javaScript(let source) = route.condition else { continue }
                try await check(source, .predicate, at: "\(path).routes[\(index + 1)].when.javascript", engine)
            }
            for collection in database.configuration.collections {
                guard let source = collection.syncFunction else { continue }
                try await check(source, .sync, at: "\(path).collections.\(collection.name).sync", engine)
            }
        }
    }

    private static func check(_ source: String, _ kind: ScriptFunction.Kind, at path: String, _ engine: ScriptEngine) async throws {
        do {
            try await engine.validate(ScriptFunction(kind: kind, source: source))
        } catch let error as ScriptError {
            throw ConfigurationError(.badValue, at: path, "the function does not compile: \(error.message)")
        }
    }
}
