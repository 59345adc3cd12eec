import Documents
import Storage

/// Assigns documents to channels during a write, by the result of their sync function.
///
/// Sync functions do not run for design documents. These are in no channel, and are visible to users with access to everything.
struct ChannelAssignment {
    let database: Database
    let transaction: any StoreTransaction

    /// The sync function's result for the first revision of a document in `collection`.
    ///
    /// - Throws: the refusal, or ``StaleSyncResult``.
    func result(for write: RevisionWrite, in collection: CollectionKey, _ syncResult: WriteSyncResult?) throws -> SyncFunctionResult {
        guard !DocumentID.isDesign(write.id) else { return SyncFunctionResult() }
        guard database.syncFunctions[collection] != nil else { return byDefault(write.body, in: collection) }
        guard let syncResult, syncResult.holds(forNewDocumentIn: collection, by: database.syncFunctions), let result = syncResult.revision
        else {
            throw StaleSyncResult()
        }
        return try result.get()
    }

    /// The sync function's result for a further revision of a document.
    ///
    /// - Throws: the refusal, or ``StaleSyncResult``.
    func result(for write: RevisionWrite, of document: DocumentRecord, _ syncResult: WriteSyncResult?) throws -> SyncFunctionResult {
        guard !DocumentID.isDesign(write.id) else { return SyncFunctionResult() }
        guard database.syncFunctions[document.collection] != nil else { return byDefault(write.body, in: document.collection) }
        guard let syncResult, syncResult.holds(for: document, by: database.syncFunctions), let result = syncResult.revision else {
            throw StaleSyncResult()
        }
        return try result.get()
    }

    /// Requires that the sync function of the collection that the routes want accepts the revision.
    ///
    /// - Parameter document: the document before the write; `nil` for a new one.
    /// - Throws: the refusal, or ``StaleSyncResult``.
    func require(_ wanted: CollectionKey, of document: DocumentRecord?, _ syncResult: WriteSyncResult?) throws {
        let functions = database.syncFunctions
        guard functions.hasOwn(wanted) else { return }
        guard let syncResult, syncResult.base == document?.collectionSequence, let found = syncResult.wanted, found.collection == wanted,
            found.function == functions.fingerprint(wanted), let answer = found.answer
        else { throw StaleSyncResult() }
        _ = try answer.get()
    }

    /// The sync function's result for a losing branch that becomes the winner.
    ///
    /// - Parameter stored: the stored document, with which the branch's body is found.
    func result(forWinnerOf document: DocumentRecord, in stored: DocumentRecord, _ syncResult: WriteSyncResult?) throws
        -> SyncFunctionResult
    {
        guard !DocumentID.isDesign(document.id) else { return SyncFunctionResult() }
        guard database.syncFunctions[document.collection] != nil else {
            return byDefault(try transaction.body(of: document.winner, in: stored)?.properties ?? [], in: document.collection)
        }
        // A branch that the function refuses by now is in no channel: visible to nobody rather than to everybody.
        return (try? syncResult?.winner?.get()) ?? SyncFunctionResult()
    }

    /// Applies a result for the winner, after the document's row was written with the result's flags.
    ///
    /// - Returns: Whether grants were made or revoked.
    @discardableResult
    func assign(_ result: SyncFunctionResult, to document: DocumentRecord, at sequence: SequenceNumber) throws -> Bool {
        if document.flags.contains(.inChannels) {
            try transaction.setChannels(result.channels, of: document, at: sequence)
        }
        guard document.flags.contains(.grants), let key = document.key else { return false }
        // Before any device has read or pushed, grants count as made from the start: the documents may be older than this write.
        let since = try transaction.hasReaders ? sequence : .zero
        return try transaction.setGrants(grants(result, of: document), from: .document(key), at: since)
    }

    /// Applies a new result to an unchanged document: its own sequence and its revisions stay.
    ///
    /// A refused winner is in no channel and makes no grants, as in Sync Gateway's resync.
    ///
    /// - Parameter asWritten: whether the document enters its channels at its own sequence, as if the result were from its write.
    /// - Returns: Whether anything has changed.
    func revise(_ found: DocumentRecord, by result: ResyncResult, asWritten: Bool = false) throws -> Bool {
        guard let key = found.key else { return false }
        let winner = result.winner ?? SyncFunctionResult()
        var document = found
        document.flags.formUnion(winner.flags)
        if document.flags != found.flags { try transaction.update(document) }
        var isChanged = false
        if try transaction.channels(of: document.winner, in: document) != winner.channels {
            if asWritten {
                try transaction.placeInChannels(winner.channels, document)
            } else {
                try transaction.setChannels(winner.channels, of: document, at: try transaction.nextSequence())
            }
            isChanged = true
        }
        if document.flags.contains(.grants) {
            let grants = grants(winner, of: document)
            let written = document.sequence ?? document.collectionSequence
            let since = try !transaction.hasReaders ? .zero : asWritten ? written : transaction.nextSequence()
            if try transaction.setGrants(grants, from: .document(key), at: since) { isChanged = true }
        }
        for (revision, channels) in result.losers where try transaction.channels(of: revision, in: document) != channels {
            try transaction.setChannels(channels, of: revision, in: document)
            isChanged = true
        }
        return isChanged
    }

    /// Moves the document's channel entries to its new sequence, while its winner stays the same.
    func moveEntries(of document: DocumentRecord, to sequence: SequenceNumber) throws {
        guard document.flags.contains(.inChannels) else { return }
        try transaction.setChannels(try transaction.channels(of: document.winner, in: document), of: document, at: sequence)
    }

    private func grants(_ result: SyncFunctionResult, of document: DocumentRecord) -> Set<Grant> {
        result.grants(in: database.syncFunctions.grantsHold(from: document.collection))
    }

    private func byDefault(_ body: [UInt8], in collection: CollectionKey) -> SyncFunctionResult {
        guard let record = database.collections[collection] else { return SyncFunctionResult() }
        return SyncFunctionResult.byDefault(body, in: record.collectionName)
    }
}
