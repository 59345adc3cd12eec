import Access
import Documents
import Storage

/// What the sync function said of a write, and of which state of the document: it spoke before the transaction.
struct WriteSyncResult: Sendable {
    /// The collection whose function spoke.
    let collection: CollectionKey

    /// Which function that was; see ``SyncFunctionTable/fingerprint(_:)``.
    let function: String

    /// The document's place in that collection's feed when the function saw it; `nil` if it was not there.
    let base: SequenceNumber?

    /// Of the revision that is written; `nil` where the collection has the default function.
    var revision: Result<SyncFunctionResult, GatewayError>?

    /// Of the revision that wins by the write, where that is another one: a branch that had lost.
    var winner: Result<SyncFunctionResult, GatewayError>?

    /// What the function of the collection says in which the routes want the document.
    var wanted: Wanted?

    struct Wanted: Sendable {
        let collection: CollectionKey
        let function: String
        var answer: Result<SyncFunctionResult, GatewayError>?
    }

    init(collection: CollectionKey, function: String, base: SequenceNumber?, revision: Result<SyncFunctionResult, GatewayError>) {
        (self.collection, self.function, self.base, self.revision) = (collection, function, base, revision)
    }

    /// Yet to be spoken.
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

/// What the sync functions said of the writes of a batch.
struct WriteSyncResults: Sendable {
    private let said: [WriteSyncResult?]

    /// What the writer held when the functions were asked; `nil` where none was.
    private let rights: Rights?

    init(_ said: [WriteSyncResult?], for rights: Rights?) {
        self.said = said
        self.rights = rights
    }

    subscript(index: Int) -> WriteSyncResult? { said[index] }

    /// Whether they hold no more because one of the writes has given the writer something, or taken it away.
    func areOutdated(in transaction: any StoreTransaction, for keyspace: Keyspace) throws -> Bool {
        guard let rights, !rights.isAdministrator else { return false }
        do {
            return try !keyspace.rights(in: transaction).hold(theSameAs: rights)
        } catch let error as GatewayError where error.code == .unauthorized {
            return true
        }
    }
}

/// A document has changed since the sync function saw it: it has to be asked again.
struct StaleSyncResult: Error {}
