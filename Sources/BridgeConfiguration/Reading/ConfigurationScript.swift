import Scripting

/// A JavaScript function of a configuration, and its origin.
struct ConfigurationScript: Sendable {
    enum Kind: Sendable {
        case sync, predicate, filter, resolver

        /// An example of such a function, for error messages.
        var example: String {
            switch self {
            case .sync: "function (doc, oldDoc, meta) { channel(doc.channels); }"
            case .predicate: "function (doc) { return doc.type === \"order\"; }"
            case .filter: "function (doc, req) { return doc.type === \"order\"; }"
            case .resolver: "function (conflict) { return conflict.localDocument; }"
            }
        }
    }

    enum Origin: Sendable {
        case scalar(ScalarOrigin)
        /// A file that contains only the function.
        case file(String)
    }

    let kind: Kind
    let source: String

    /// The path of the key.
    let path: String

    /// The position of the key.
    let place: ConfigurationPlace
    let origin: Origin?

    init(_ kind: Kind, _ source: String, path: String, place: ConfigurationPlace = ConfigurationPlace(), origin: Origin? = nil) {
        self.kind = kind
        self.source = source
        self.path = path
        self.place = place
        self.origin = origin
    }

    /// Compiles the function; `nil` if it is usable.
    func fault(_ engine: ScriptEngine) async -> ConfigurationFinding? {
        do {
            switch kind {
            case .sync: try await engine.compile(ScriptFunction<SyncFunctionInput, SyncFunctionOutput>.sync(source, owner: path))
            case .predicate: try await engine.compile(ScriptFunction<[UInt8], Bool>.predicate(source, owner: path))
            case .filter: try await engine.compile(ScriptFunction<FilterInput, Bool>.filter(source, owner: path))
            case .resolver: try await engine.compile(ScriptFunction<ConflictInput, ConflictResolution>.resolver(source, owner: path))
            }
            return nil
        } catch let error as ScriptError {
            return ConfigurationFinding(.error, .badScript, at: place(of: error), path: path, message(error))
        } catch {
            return ConfigurationFinding(.error, .badScript, at: place, path: path, "the function cannot be compiled: \(error)")
        }
    }

    private func message(_ error: ScriptError) -> String {
        if error.isSyntaxError {
            // Without a position in the file, the message has the position within the function.
            let within =
                origin == nil ? error.line.map { " (line \($0)\(error.column.map { ", column \($0)" } ?? "") of the function)" } : nil
            return "the function does not compile: \(error.message)\(within ?? "")"
        }
        guard error.code == .compile else { return "the function cannot be used: \(error.message)" }
        return "\(error.message); write `\(kind.example)`"
    }

    private func place(of error: ScriptError) -> ConfigurationPlace {
        guard let line = error.line else { return place }
        switch origin {
        case .file(let file): return ConfigurationPlace(file: file, line: line, column: error.column)
        case .scalar(let origin):
            guard let position = origin.position(line: line, column: error.column) else { return place }
            return ConfigurationPlace(file: place.file, line: position.line, column: position.column)
        case nil: return place
        }
    }
}
