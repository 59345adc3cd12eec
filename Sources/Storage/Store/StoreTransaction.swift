package import Documents

/// The state of a store within a write transaction.
package protocol StoreTransaction: StoreSnapshot, AccessTransaction {
    /// Runs `work`, and rolls back its writes if it throws. Unless the store itself failed, the transaction can continue.
    func attempt<Value>(_ work: () throws -> Value) throws -> Value

    /// Increments the counter and returns its value.
    func nextSequence() throws -> SequenceNumber
    func set(_ value: String?, forSetting name: String) throws
    /// Raises the counter to at least `sequence` (a fence after a restore).
    func raiseCounter(to sequence: SequenceNumber) throws

    /// Adds a collection, or changes its configuration.
    ///
    /// - Parameters:
    ///   - isHidden: Whether the unified keyspace excludes its documents; `nil` leaves it unchanged, which is visible for a new collection. A
    ///     change is then `pending`: it has to be applied to the documents.
    ///   - syncFunction: See ``CollectionRecord/syncFunction``; `nil` leaves it unchanged.
    func putCollection(scope: String, name: String, isHidden: Bool?, syncFunction: String?) throws -> CollectionRecord
    /// Deletes the collection's own sync function setting.
    func forgetSyncFunction(of collection: CollectionKey) throws
    /// Records the last document to which a change of `isHidden` was applied; `nil` when the change is complete.
    func setPending(_ last: DocumentKey?, in collection: CollectionKey) throws

    /// Adds a document with its winner's body, which is `nil` if it was never received.
    func insert(_ document: DocumentRecord, winnerBody: StoredBody?) throws -> DocumentKey
    /// Changes a document's row without its winner's body; see `setBody`.
    func update(_ document: DocumentRecord) throws
    /// Stores a revision's body. `isLeaf` distinguishes bodies of leaves, which stay, from bodies of ancestors, which age out. For a losing leaf
    /// whose body was never received, `body` is `nil`.
    func setBody(_ body: StoredBody?, of revision: RevisionID, in document: DocumentRecord, isLeaf: Bool) throws
    /// Records whether a losing revision is still a leaf, without a change of its body.
    func setIsLeaf(_ isLeaf: Bool, of revision: RevisionID, in document: DocumentRecord) throws
    /// Changes a document's row when its winner changes, and stores the bodies of the previous and the new winner accordingly. Replaces `update`.
    ///
    /// - Parameters:
    ///   - body: The new winner's body; `nil` if it is already stored, or was never received.
    ///   - previous: The previous winner. Its body stays as that of a leaf or of a recent ancestor.
    func changeWinner(of document: DocumentRecord, body: StoredBody?, previous: RevisionID, previousIsLeaf: Bool) throws
    func removeBody(of revision: RevisionID, in document: DocumentRecord) throws
    /// Deletes all ancestors' bodies except for the newest `count`.
    func trimBodies(of document: DocumentKey, keeping count: Int) throws
    /// Deletes a document with all its revisions, and revokes its grants to users and roles.
    func purge(_ document: DocumentKey) throws
    /// Persists the current and former places of a document, for its return under the same legacy ID after a purge.
    func rememberPlaces(of document: DocumentKey) throws
    /// Returns and deletes the places of a purged document with this legacy ID.
    func removeRememberedPlaces(of unifiedID: String) throws -> [(collection: CollectionKey, id: String)]

    /// Sets the expiry time of a document, in milliseconds since 1970; `nil` for none. The flags of its row have to be changed, too.
    func setExpiry(_ time: Int64?, of document: DocumentKey) throws

    /// Sets the channels of a document, whose row has been written.
    ///
    /// The document's sequence in a channel that it stays in is that of its last change. In a channel that it enters or leaves, it is `sequence`.
    func setChannels(_ channels: Set<String>, of document: DocumentRecord, at sequence: SequenceNumber) throws
    /// Sets the channels of a document at its row's sequences, and deletes its entries in other channels.
    func placeInChannels(_ channels: Set<String>, _ document: DocumentRecord) throws
    /// Records the channels of a losing leaf with a stored body.
    func setChannels(_ channels: Set<String>, of leaf: RevisionID, in document: DocumentRecord) throws

    func setDeparture(_ departure: DepartureRecord) throws
    /// Records a departure, replaces the departure (if any) of the place to which the document returns, and records the return.
    func setDeparture(_ departure: DepartureRecord, inPlaceOf id: String, from collection: CollectionKey) throws
    /// Records a document's return to a place that it was moved away from.
    func endDeparture(of document: DocumentKey, as id: String, from collection: CollectionKey, at sequence: SequenceNumber) throws

    func setLocalDocument(_ document: LocalDocument?, _ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws

    /// Records that the sequences between `lower` and `upper` are lost because a backup was restored. `time` is in milliseconds since 1970.
    func setFence(from lower: SequenceNumber, to upper: SequenceNumber, at time: Int64) throws

    /// Records the write of a checkpoint.
    func note(_ checkpointRecord: CheckpointRecord) throws
    /// Records clients' requests. The number of records per user and in total is bounded; the latest ones stay.
    func note(_ visits: [Visit]) throws
    func setHistoryMark(_ mark: HistoryMark, of document: DocumentKey) throws
    func removeHistoryMarks(of document: DocumentKey, before sequence: SequenceNumber) throws

    func setUpstream(_ record: UpstreamRecord) throws
    /// Records that the legacy upstream's feed has shown the current state of the document at this sequence, at this ordinal of its own feed. The
    /// record is valid until the document changes.
    func recordUpstreamShown(_ sequence: SequenceNumber, ordinal: Int64) throws
    /// Advances the mark up to which every document has been shown, so that `firstUnshown` can start there.
    func advanceShownMark() throws
    /// Records the client that ``StoreSnapshot/upstreamDevice(of:at:)`` returns. The number of records per user and in total is bounded; the latest
    /// ones stay.
    func setUpstreamDevice(
        _ channels: String, before position: SequenceNumber?, learned: SequenceNumber, of user: String, at place: String, time: Int64)
        throws
    /// Records the sequences of our feed, as JSON, whose rows upstream had not sent to such a client.
    func setUpstreamUnsentPositions(_ positions: String, of user: String, at place: String) throws
    /// Records that a document was in a channel and left it, at the latest with its winner. Nothing is recorded if it is in the channel, or if a
    /// later removal is recorded.
    ///
    /// - Parameters:
    ///   - sequence: The sequence in the channel; `nil` for the document's own.
    ///   - number: The sequence of the legacy upstream's change that removed it from the channel; `nil` if there is none.
    func recordChannelLeft(_ channel: String, _ document: DocumentRecord, at sequence: SequenceNumber?, upstream number: Int64?) throws
    /// Records that a document, which this store has not received yet, has left a channel. The number of records is bounded.
    func setUpstreamLoss(of id: String, from channel: String, upstream number: Int64?) throws
    /// Returns and deletes the channels recorded for a document, with the upstream sequences of the changes.
    func removeUpstreamLosses(of id: String) throws -> [(channel: String, number: Int64?)]
    func recordUpstreamToken(_ digest: [UInt8], ordinal: Int64) throws
    /// Deletes opaque sequences up to an ordinal of upstream's feed, the earliest first.
    func forgetTokens(upTo ordinal: Int64, limit: Int) throws
    /// Deletes the records of all states shown after an ordinal of upstream's feed.
    func forgetShown(behind ordinal: Int64) throws

    /// Adds a step of a cutover to the audit and assigns its number.
    @discardableResult
    func add(_ step: CutoverStepRecord) throws -> CutoverStepRecord

    /// Adds an attachment whose bytes are complete. Existing bytes are not stored again.
    func insertAttachment(_ bytes: [UInt8], digest: AttachmentDigest) throws -> AttachmentRecord
    /// Begins an attachment whose bytes come in parts. It is invisible before it is finished.
    func beginAttachment() throws -> Int64
    /// Adds a part, numbered from 0. Every part but the last has ``AttachmentRecord/partSize`` bytes.
    func appendAttachment(_ key: Int64, part: Int, _ bytes: [UInt8]) throws
    /// Assigns the digest to an attachment whose parts are complete. If the store has an attachment with this digest already, returns its record.
    ///
    /// - Parameter digest: The SHA-1 of the bytes, which the caller computed while it received them.
    func finishAttachment(_ key: Int64, digest: AttachmentDigest, length: Int64) throws -> AttachmentRecord
    func abandonAttachment(_ key: Int64) throws
    /// Adds another digest by which the attachment is referenced, such as CouchDB's MD5.
    func addAlias(_ digest: AttachmentDigest, for attachment: AttachmentRecord) throws
    /// The `_attachments` of every stored body of a document.
    func keptAttachments(of document: DocumentKey) throws -> [[UInt8]]
    /// Sets the attachments that the document's stored revisions reference.
    func setAttachments(_ attachments: Set<Int64>, usedBy document: DocumentKey) throws
    /// Sets the digests of missing attachments that the document's stored revisions reference. When an attachment with such a digest arrives, the
    /// document uses it.
    func setMissingAttachments(_ digests: Set<String>, of document: DocumentKey) throws
    /// Deletes unreferenced attachments that are older than `age` milliseconds; returns their number.
    func collectAttachments(olderThan age: Int64, limit: Int) throws -> Int

    func setVersion(_ version: VersionRecord, of document: DocumentKey) throws
    func setLegacyRevision(_ revision: RevisionID?, of document: DocumentKey, client: String) throws

    func beginMoveRun(routes: String) throws -> MoveRun
    func updateMoveRun(_ run: MoveRun) throws
    func recordMove(_ move: MoveRecord, in run: Int64) throws
    /// Deletes the moves of the documents after `start` up to and including `end`, except for `kept`, which is sorted.
    func forgetMoves(in run: Int64, after start: DocumentKey, upTo end: DocumentKey, but kept: [DocumentKey]) throws

    /// Adds a run and assigns its key.
    func beginMigrationRun(_ run: MigrationRunRecord) throws -> MigrationRunRecord
    func updateMigrationRun(_ run: MigrationRunRecord) throws
    /// Records a document or revision that could not be imported. Replaces the record of the same revision, place and source. Assigns the key.
    func quarantine(_ record: QuarantineRecord) throws
    /// Deletes the quarantine records of a document that was imported with these revisions: the record of the whole document, and the record of
    /// each revision.
    ///
    /// - Parameter place: The position of the imported part of the document in the source; `nil` for the whole document.
    func releaseQuarantine(collection: String, id: String, revisions: Set<String>, place: String?) throws
    func removeQuarantine(_ key: Int64) throws

    /// Parks refused revisions. For a revision that is parked already, increments its attempts. Above the limit, only counts the revisions.
    func park(_ revisions: [ParkedRevision]) throws
    func releaseParked(_ key: Int64) throws
    /// Removes revisions from the list. For pushes, the store still records that the server does not have them.
    ///
    /// - Returns: The number of removed revisions.
    @discardableResult
    func forgetParked(_ selection: ParkedSelection) throws -> Int
    /// Resets the count of revisions that are only counted, because the replication will meet them again.
    func forgetParkedSurplus(_ selection: ParkedSelection) throws
}

extension StoreTransaction {
    /// Adds the collection, or changes whether it is hidden.
    package func putCollection(scope: String, name: String, isHidden: Bool?) throws -> CollectionRecord {
        try putCollection(scope: scope, name: name, isHidden: isHidden, syncFunction: nil)
    }
}
