import Documents
import Scripting
import Storage

/// The sync functions of a database's collections.
struct SyncFunctionTable: Sendable {
    typealias Function = ScriptFunction<SyncFunctionInput, SyncFunctionOutput>

    private let functions: [CollectionKey: Function]
    private let fingerprints: [CollectionKey: String]

    /// The collections that are judged by the function of the default collection.
    private let borrowers: Set<CollectionKey>

    /// A collection for which no function was ever said is judged by that of the default collection, as its documents were before they were moved there.
    ///
    /// - Parameter owner: the database: functions of two databases never share a context.
    init(_ collections: CollectionTable, owner: String) {
        var functions: [CollectionKey: Function] = [:]
        var fingerprints: [CollectionKey: String] = [:]
        var borrowers: Set<CollectionKey> = []
        for record in collections.records {
            guard let source = record.syncFunction ?? collections[CollectionName.default]?.syncFunction, !source.isEmpty else { continue }
            functions[record.key] = .sync(source, owner: owner)
            fingerprints[record.key] = AttachmentDigest.sha1(of: source.utf8).description
            guard record.syncFunction == nil, record.key != .default else { continue }
            borrowers.insert(record.key)
            fingerprints[record.key]?.append(" of the default collection")
        }
        self.borrowers = borrowers
        self.functions = functions
        self.fingerprints = fingerprints
    }

    /// What judges the documents of a collection; `nil` for the default function, which needs no script.
    subscript(collection: CollectionKey) -> Function? { functions[collection] }

    /// Whether a collection has another function than the default collection.
    func hasOwn(_ collection: CollectionKey) -> Bool { functions[collection] != nil && !borrowers.contains(collection) }

    /// By which ID a function knows a document. A collection's own function knows it by the ID there, whoever writes it and however. The function of the default
    /// collection knows documents elsewhere by their legacy ID, as it did before they moved, so that they keep their channels.
    ///
    /// - Parameter legacy: `nil` for a document that has none.
    func documentID(_ local: String, legacy: String?, in collection: CollectionKey) -> String {
        hasOwn(collection) ? local : legacy ?? local
    }

    /// Tells the collection's function from others that it had or will have.
    func fingerprint(_ collection: CollectionKey) -> String { fingerprints[collection] ?? Self.defaultFingerprint }

    /// The collection for which `access()` gives channels when a document of `collection` calls it.
    ///
    /// The function of the default collection gives them for the default collection, whose channels hold in every collection, wherever the document is:
    /// so a document that gives access gives the same after a move.
    func grantsHold(from collection: CollectionKey) -> CollectionKey { borrowers.contains(collection) ? .default : collection }

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
