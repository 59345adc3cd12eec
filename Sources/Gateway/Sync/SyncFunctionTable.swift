import Documents
import Scripting
import Storage

/// The sync functions of a database's collections.
struct SyncFunctionTable: Sendable {
    typealias Function = ScriptFunction<SyncFunctionInput, SyncFunctionResult>

    private let functions: [CollectionKey: Function]
    private let fingerprints: [CollectionKey: String]

    /// A collection for which no function was ever said is judged by that of the default collection, as its documents were before they were moved there.
    ///
    /// - Parameter owner: the database: functions of two databases never share a context.
    init(_ collections: CollectionTable, owner: String) {
        var functions: [CollectionKey: Function] = [:]
        var fingerprints: [CollectionKey: String] = [:]
        for record in collections.records {
            guard let source = record.syncFunction ?? collections[CollectionName.default]?.syncFunction, !source.isEmpty else { continue }
            functions[record.key] = .sync(source, owner: owner)
            fingerprints[record.key] = AttachmentDigest.sha1(of: source.utf8).description
        }
        self.functions = functions
        self.fingerprints = fingerprints
    }

    /// What judges the documents of a collection; `nil` for the default function, which needs no script.
    subscript(collection: CollectionKey) -> Function? { functions[collection] }

    /// Tells the collection's function from others that it had or will have.
    func fingerprint(_ collection: CollectionKey) -> String { fingerprints[collection] ?? Self.defaultFingerprint }

    static var defaultFingerprint: String { "default" }

    var isEmpty: Bool { functions.isEmpty }

    /// Checks that the functions of these collections compile.
    ///
    /// - Throws: ``GatewayError`` with code `configuration`, which names the collection.
    func compile(_ records: [CollectionRecord], with scripts: ScriptEngine) async throws {
        for record in records {
            guard let function = functions[record.key] else { continue }
            do {
                try await scripts.compile(function)
            } catch let error as ScriptError where error.code == .compile {
                throw GatewayError(
                    .configuration, "Collection \(record.collectionName): its sync function is no function that compiles", cause: error)
            }
        }
    }
}
