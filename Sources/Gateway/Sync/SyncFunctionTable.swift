import Documents
import Scripting
import Storage

/// The sync functions of a database's collections.
struct SyncFunctionTable: Sendable {
    typealias Function = ScriptFunction<SyncFunctionInput, SyncFunctionResult>

    private let functions: [CollectionKey: Function]
    private let fingerprints: [CollectionKey: String]

    /// - Parameter owner: the database: functions of two databases never share a context.
    init(_ configured: [CollectionConfiguration], collections: CollectionTable, owner: String) {
        var functions: [CollectionKey: Function] = [:]
        var fingerprints: [CollectionKey: String] = [:]
        for collection in configured {
            guard let source = collection.syncFunction, let record = collections[collection.name] else { continue }
            functions[record.key] = .sync(source, owner: owner)
            fingerprints[record.key] = AttachmentDigest.sha1(of: source.utf8).description
        }
        self.functions = functions
        self.fingerprints = fingerprints
    }

    /// The collection's own function; `nil` if the default holds, which needs no script.
    subscript(collection: CollectionKey) -> Function? { functions[collection] }

    /// Tells the collection's function from others that it had or will have.
    func fingerprint(_ collection: CollectionKey) -> String { fingerprints[collection] ?? Self.defaultFingerprint }

    static var defaultFingerprint: String { "default" }

    var isEmpty: Bool { functions.isEmpty }

    /// Checks that each function compiles.
    ///
    /// - Throws: ``GatewayError`` with code `configuration`, which names the collection.
    func compile(_ collections: CollectionTable, with scripts: ScriptEngine) async throws {
        for (key, function) in functions {
            do {
                try await scripts.compile(function)
            } catch let error as ScriptError where error.code == .compile {
                let name = collections[key].map { "\($0.scope).\($0.name)" } ?? "?"
                throw GatewayError(.configuration, "Collection \(name): its sync function is no function that compiles", cause: error)
            }
        }
    }
}
