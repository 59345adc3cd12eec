import Documents
import Scripting
import Storage

/// The sync functions of a database's collections.
struct SyncFunctionTable: Sendable {
    typealias Function = ScriptFunction<SyncFunctionInput, SyncFunctionOutput>

    private let functions: [CollectionKey: Function]
    private let fingerprints: [CollectionKey: String]

    /// The collections that use the default collection's function.
    private let borrowers: Set<CollectionKey>

    /// A collection without a configured function uses that of the default collection, as its documents did before they were moved there.
    ///
    /// - Parameter owner: the database's name. Functions of two databases never share a context.
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

    /// The function of a collection; `nil` for the default function, which needs no script.
    subscript(collection: CollectionKey) -> Function? { functions[collection] }

    /// Whether a collection has another function than the default collection.
    func hasOwn(_ collection: CollectionKey) -> Bool { functions[collection] != nil && !borrowers.contains(collection) }

    /// The document ID that a function receives.
    ///
    /// A collection's own function receives the ID in the collection, for every kind of write. The default collection's function receives the
    /// legacy ID of documents in other collections, as before their move, so that they keep their channels.
    ///
    /// - Parameter legacy: `nil` for a document without a legacy ID.
    func documentID(_ local: String, legacy: String?, in collection: CollectionKey) -> String {
        hasOwn(collection) ? local : legacy ?? local
    }

    /// Identifies the collection's current function.
    func fingerprint(_ collection: CollectionKey) -> String { fingerprints[collection] ?? Self.defaultFingerprint }

    /// The collection of the channels that `access()` grants for a document of `collection`.
    ///
    /// The default collection's function always grants channels of the default collection, which apply to every collection: a document makes the
    /// same grants after a move.
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
                    .configuration, "Collection \(record.collectionName): the sync function is not a function that compiles", cause: error)
            }
        }
    }
}
