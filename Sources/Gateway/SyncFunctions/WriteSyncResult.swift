import Access
import Documents
import Storage

/// The sync function's result for a write, with the state of the document that it is valid for: the function runs before the transaction.
struct WriteSyncResult: Sendable {
    /// The collection of the sync function.
    let collection: CollectionKey

    /// The function's fingerprint; see ``SyncFunctionTable/fingerprint(_:)``.
    let function: String

    /// The document's sequence in that collection's feed at the time of the call; `nil` if the document did not exist.
    let base: SequenceNumber?

    /// The result for the written revision; `nil` if the collection has the default function.
    var revision: Result<SyncFunctionResult, GatewayError>?

    /// The result for a losing branch that becomes the winner by the write.
    var winner: Result<SyncFunctionResult, GatewayError>?

    /// The result of the function of the collection that the routes want.
    var wanted: Wanted?

    struct Wanted: Sendable {
        let collection: CollectionKey
        let function: String
        var answer: Result<SyncFunctionResult, GatewayError>?
    }

    init(collection: CollectionKey, function: String, base: SequenceNumber?, revision: Result<SyncFunctionResult, GatewayError>) {
        (self.collection, self.function, self.base, self.revision) = (collection, function, base, revision)
    }

    /// A result without answers yet.
    init(of asked: SyncFunctionCall, by functions: SyncFunctionTable) {
        collection = asked.collection
        function = functions.fingerprint(asked.collection)
        base = asked.base
        wanted = asked.wanted.map { Wanted(collection: $0.collection, function: functions.fingerprint($0.collection)) }
    }

    func holds(for document: DocumentRecord, by functions: SyncFunctionTable) -> Bool {
        collection == document.collection && base == document.collectionSequence && function == functions.fingerprint(collection)
    }

    func holds(forNewDocumentIn collection: CollectionKey, by functions: SyncFunctionTable) -> Bool {
        self.collection == collection && base == nil && function == functions.fingerprint(collection)
    }
}

/// The sync functions' results for the writes of a batch.
struct WriteSyncResults: Sendable {
    private let results: [WriteSyncResult?]

    /// The writer's rights at the time of the calls; `nil` if no function was called.
    private let rights: Rights?

    init(_ results: [WriteSyncResult?], for rights: Rights?) {
        self.results = results
        self.rights = rights
    }

    subscript(index: Int) -> WriteSyncResult? { results[index] }

    /// Whether one of the writes has changed the writer's rights, so that the results are outdated.
    func areOutdated(in transaction: any StoreTransaction, for keyspace: Keyspace) throws -> Bool {
        guard let rights, !rights.isAdministrator else { return false }
        do {
            return try !keyspace.rights(in: transaction).hold(theSameAs: rights)
        } catch let error as GatewayError where error.code == .unauthorized {
            return true
        }
    }
}

/// The document has changed since the sync function was evaluated: it has to be evaluated again.
struct StaleSyncResult: Error {}
