import Documents
import Scripting

/// The JavaScript of a Sync Gateway configuration. The configuration has each function as source or as a URL.
struct GatewayFunctions: Sendable {
    /// The fetched sources, by URL.
    private var fetched: [String: String] = [:]

    /// The errors of unusable functions, by the text in the configuration.
    private var faults: [String: String] = [:]

    /// The source of the function for a text in the configuration; `nil` if it is unusable.
    func source(_ text: String) -> String? {
        let text = Self.trimmed(text)
        return faults[text] == nil ? fetched[text] ?? text : nil
    }

    /// The error of a function; `nil` if the function is usable.
    func fault(_ text: String) -> String? { faults[Self.trimmed(text)] }

    /// Removes surrounding blanks and trailing semicolons: Sync Gateway accepts a function with a semicolon after it.
    static func trimmed(_ source: String) -> String {
        var text = Substring(source)
        while let first = text.first, first.isWhitespace { text = text.dropFirst() }
        while let last = text.last, last.isWhitespace || last == ";" { text = text.dropLast() }
        return String(text)
    }

    static func isURL(_ text: String) -> Bool {
        let text = text.lowercased()
        return (text.hasPrefix("http://") || text.hasPrefix("https://")) && !text.contains { $0.isWhitespace || $0 == "{" }
    }

    /// Fetches and compiles all functions of the configurations.
    static func collect(_ sections: [GatewaySection], _ transport: GatewayTransport) async -> GatewayFunctions {
        var functions = GatewayFunctions()
        let engine = ScriptEngine()
        for (key, kind) in [("sync", ConfigurationScript.Kind.sync), ("custom_conflict_resolver", .resolver)] {
            var sources: Set<String> = []
            for section in sections { find(.object(section.members), key, into: &sources) }
            for source in sources.map(trimmed) where !source.isEmpty {
                await functions.add(source, kind, engine, transport)
            }
        }
        await engine.stop()
        return functions
    }

    private mutating func add(
        _ text: String, _ kind: ConfigurationScript.Kind, _ engine: ScriptEngine, _ transport: GatewayTransport
    ) async {
        var source = text
        if Self.isURL(text) {
            do {
                source = Self.trimmed(try await Self.fetch(text, transport))
                fetched[text] = source
            } catch {
                faults[text] = "the function at \(text) cannot be fetched: \(error)"
                return
            }
        } else if Self.isPath(text) {
            faults[text] = "it is the path of a file, \(text), on the machine of the Sync Gateway"
            return
        }
        guard let fault = await ConfigurationScript(kind, source, path: "").fault(engine) else { return }
        faults[text] = Self.isURL(text) ? "the function at \(text): \(fault.message)" : fault.message
    }

    private static func fetch(_ url: String, _ transport: GatewayTransport) async throws -> String {
        let answer = try await transport.get(url, maximum: GatewayTransport.maximumFunction)
        guard answer.status == 200 else { throw GatewayImportError("the answer is \(answer.status)") }
        guard let text = String(validating: answer.body, as: UTF8.self) else { throw GatewayImportError("it is not UTF-8") }
        return text
    }

    /// Whether a text is a file name instead of a function.
    private static func isPath(_ text: String) -> Bool {
        text.hasSuffix(".js") && !text.contains { $0.isNewline || $0 == "{" || $0 == "(" }
    }

    private static func find(_ json: JSONValue, _ name: String, into sources: inout Set<String>) {
        for member in json.members ?? [] {
            if member.key.lowercased() == name, let source = member.value.string { sources.insert(source) }
            find(member.value, name, into: &sources)
        }
    }
}
