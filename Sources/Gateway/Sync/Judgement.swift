import Documents
import Storage

/// What the sync function said of a write, and of which state of the document: it spoke before the transaction.
struct Judgement: Sendable {
    /// The collection whose function spoke.
    let collection: CollectionKey

    /// Which function that was; see ``SyncFunctionTable/fingerprint(_:)``.
    let function: String

    /// The document's place in that collection's feed when the function saw it; `nil` if it was not there.
    let base: Sequence?

    /// Of the revision that is written.
    let revision: Result<SyncVerdict, GatewayError>

    /// Of the revision that wins by the write, where that is another one: a branch that had lost.
    let winner: Result<SyncVerdict, GatewayError>?

    func holds(for document: DocumentRecord, by functions: SyncFunctionTable) -> Bool {
        collection == document.collection && base == document.collectionSequence && function == functions.fingerprint(collection)
    }

    func holds(forNewDocumentIn collection: CollectionKey, by functions: SyncFunctionTable) -> Bool {
        self.collection == collection && base == nil && function == functions.fingerprint(collection)
    }
}

/// A document has changed since the sync function saw it: it has to be asked again.
struct StaleJudgement: Error {}
