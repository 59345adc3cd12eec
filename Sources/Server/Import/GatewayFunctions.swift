import Documents
import Scripting

/// The JavaScript of a Sync Gateway configuration.
enum GatewayFunctions {
    /// Without what surrounds it: Sync Gateway takes a function with a semicolon behind it.
    static func trimmed(_ source: String) -> String {
        var text = Substring(source)
        while let first = text.first, first.isWhitespace { text = text.dropFirst() }
        while let last = text.last, last.isWhitespace || last == ";" { text = text.dropLast() }
        return String(text)
    }

    /// What is wrong with those that do not compile, by their source.
    static func faults(in sections: [GatewaySection]) async -> [String: String] {
        var sources: Set<String> = []
        var resolvers: Set<String> = []
        for section in sections {
            collect(.object(section.members), "sync", into: &sources)
            collect(.object(section.members), "custom_conflict_resolver", into: &resolvers)
        }
        let engine = ScriptEngine()
        var faults: [String: String] = [:]
        for source in sources.map(trimmed) where !source.isEmpty {
            let function = ScriptFunction<SyncFunctionInput, SyncFunctionResult>.sync(source, owner: "import")
            faults[source] = await fault(of: function, engine)
        }
        for source in resolvers.map(AdminReplication.adapted) {
            let function = ScriptFunction<ConflictInput, ConflictResolution>.resolver(source, owner: "import")
            faults[source] = await fault(of: function, engine)
        }
        return faults
    }

    private static func fault<Input, Output>(of function: ScriptFunction<Input, Output>, _ engine: ScriptEngine) async -> String? {
        do {
            try await engine.compile(function)
            return nil
        } catch let error as ScriptError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    private static func collect(_ json: JSONValue, _ name: String, into sources: inout Set<String>) {
        for member in json.members ?? [] {
            if member.key.lowercased() == name, let source = member.value.string { sources.insert(source) }
            collect(member.value, name, into: &sources)
        }
    }
}
