import Documents
import Storage

/// Puts documents that are being written into the channels that their sync function says.
///
/// A design document is none of a sync function's business. It is in no channel: who sees everything sees it.
struct ChannelAssignment {
    let database: Database
    let transaction: any StoreTransaction

    /// What is said of the first revision of a document that is going to live in `collection`.
    ///
    /// - Throws: why it is refused, or ``StaleSyncResult``.
    func verdict(on write: RevisionWrite, in collection: CollectionKey, _ judgement: WriteSyncResult?) throws -> SyncFunctionResult {
        guard !DocumentID.isDesign(write.id) else { return SyncFunctionResult() }
        guard database.syncFunctions[collection] != nil else { return byDefault(write.body, in: collection) }
        guard let judgement, judgement.holds(forNewDocumentIn: collection, by: database.syncFunctions), let said = judgement.revision else {
            throw StaleSyncResult()
        }
        return try said.get()
    }

    /// What is said of a further revision of a document.
    ///
    /// - Throws: why it is refused, or ``StaleSyncResult``.
    func verdict(on write: RevisionWrite, of document: DocumentRecord, _ judgement: WriteSyncResult?) throws -> SyncFunctionResult {
        guard !DocumentID.isDesign(write.id) else { return SyncFunctionResult() }
        guard database.syncFunctions[document.collection] != nil else { return byDefault(write.body, in: document.collection) }
        guard let judgement, judgement.holds(for: document, by: database.syncFunctions), let said = judgement.revision else {
            throw StaleSyncResult()
        }
        return try said.get()
    }

    /// Refuses what the function of the collection refuses in which the routes want the document.
    ///
    /// - Parameter document: as it was before; `nil` for a new one.
    /// - Throws: why it is refused, or ``StaleSyncResult``.
    func require(_ wanted: CollectionKey, of document: DocumentRecord?, _ judgement: WriteSyncResult?) throws {
        let functions = database.syncFunctions
        guard functions.hasOwn(wanted) else { return }
        guard let judgement, judgement.base == document?.collectionSequence, let said = judgement.wanted, said.collection == wanted,
            said.function == functions.fingerprint(wanted), let answer = said.answer
        else { throw StaleSyncResult() }
        _ = try answer.get()
    }

    /// What is said of a branch that had lost, and wins now.
    ///
    /// - Parameter stored: the document as the store still has it, by which it finds the branch's body.
    func verdict(onWinnerOf document: DocumentRecord, in stored: DocumentRecord, _ judgement: WriteSyncResult?) throws -> SyncFunctionResult
    {
        guard !DocumentID.isDesign(document.id) else { return SyncFunctionResult() }
        guard database.syncFunctions[document.collection] != nil else {
            return byDefault(try transaction.body(of: document.winner, in: stored)?.properties ?? [], in: document.collection)
        }
        // A branch that the function now refuses is in no channel: seen by nobody rather than by everybody.
        return (try? judgement?.winner?.get()) ?? SyncFunctionResult()
    }

    /// Carries a verdict on the winner out, once the document's row has been written with the flags that the verdict asks for.
    ///
    /// - Returns: Whether somebody was given something, or lost it.
    @discardableResult
    func assign(_ verdict: SyncFunctionResult, to document: DocumentRecord, at sequence: SequenceNumber) throws -> Bool {
        if document.flags.contains(.inChannels) {
            try transaction.setChannels(verdict.channels, of: document, at: sequence)
        }
        guard document.flags.contains(.grants), let key = document.key else { return false }
        // Where no device has been here yet, what documents give was always there: their first writes may be old.
        let since = try transaction.hasReaders ? sequence : .zero
        return try transaction.setGrants(grants(verdict, of: document), from: .document(key), at: since)
    }

    /// Carries out what is said anew of a document that stays as it is: its own sequence and its revisions remain.
    ///
    /// A winner that is refused is in no channel and gives nothing, as in Sync Gateway's resync.
    ///
    /// - Parameter asWritten: whether it comes into its channels where it was written, as if this had been said then.
    /// - Returns: Whether anything has changed.
    func revise(_ found: DocumentRecord, by standing: ResyncResult, asWritten: Bool = false) throws -> Bool {
        guard let key = found.key else { return false }
        let verdict = standing.winner ?? SyncFunctionResult()
        var document = found
        document.flags.formUnion(verdict.flags)
        if document.flags != found.flags { try transaction.update(document) }
        var isChanged = false
        if try transaction.channels(of: document.winner, in: document) != verdict.channels {
            if asWritten {
                try transaction.placeInChannels(verdict.channels, document)
            } else {
                try transaction.setChannels(verdict.channels, of: document, at: try transaction.nextSequence())
            }
            isChanged = true
        }
        if document.flags.contains(.grants) {
            let grants = grants(verdict, of: document)
            let written = document.sequence ?? document.collectionSequence
            let since = try !transaction.hasReaders ? .zero : asWritten ? written : transaction.nextSequence()
            if try transaction.setGrants(grants, from: .document(key), at: since) { isChanged = true }
        }
        for (revision, channels) in standing.losers where try transaction.channels(of: revision, in: document) != channels {
            try transaction.setChannels(channels, of: revision, in: document)
            isChanged = true
        }
        return isChanged
    }

    /// Carries the document's places in its channels on to its new sequence, where its winner stays the same.
    func keep(_ document: DocumentRecord, at sequence: SequenceNumber) throws {
        guard document.flags.contains(.inChannels) else { return }
        try transaction.setChannels(try transaction.channels(of: document.winner, in: document), of: document, at: sequence)
    }

    private func grants(_ verdict: SyncFunctionResult, of document: DocumentRecord) -> Set<Grant> {
        verdict.grants(in: database.syncFunctions.grantsHold(from: document.collection))
    }

    private func byDefault(_ body: [UInt8], in collection: CollectionKey) -> SyncFunctionResult {
        guard let record = database.collections[collection] else { return SyncFunctionResult() }
        return SyncFunctionResult.byDefault(body, in: record.collectionName)
    }
}
