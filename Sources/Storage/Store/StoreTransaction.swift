public import Documents

/// A store's state while it is being changed.
public protocol StoreTransaction: StoreSnapshot, AccessTransaction {
    /// Does some work, and undoes what it has written if it throws. Unless the failure is of the store, the transaction can go on then.
    func attempt<Value>(_ work: () throws -> Value) throws -> Value

    /// Takes the next number of the counter.
    func nextSequence() throws -> SequenceNumber
    func set(_ value: String?, forSetting name: String) throws
    /// Raises the counter to at least `sequence` (a fence after a restore).
    func raiseCounter(to sequence: SequenceNumber) throws

    /// Adds the collection, or changes what is said of it.
    ///
    /// - Parameters:
    ///   - isHidden: whether its documents are left out of the unified keyspace; `nil` leaves it as it is, which is visible for a new one.
    ///     A change is then `pending`: it has to be carried out on the documents.
    ///   - syncFunction: see ``CollectionRecord/syncFunction``; `nil` leaves it as it is.
    func putCollection(scope: String, name: String, isHidden: Bool?, syncFunction: String?) throws -> CollectionRecord
    /// Takes back what was said of the collection's sync function.
    func forgetSyncFunction(of collection: CollectionKey) throws
    /// Remembers how far a change of `isHidden` has been carried out; `nil` when it is done.
    func setPending(_ last: DocumentKey?, in collection: CollectionKey) throws

    /// Adds a document with its winner's body, which is `nil` if it never came.
    func insert(_ document: DocumentRecord, winnerBody: StoredBody?) throws -> DocumentKey
    /// Changes a document's row. Its winner's body is set apart, by `setBody`.
    func update(_ document: DocumentRecord) throws
    /// Keeps a body under the revision of a document; `isLeaf` tells those which are kept from those which age. A losing leaf whose body
    /// never came is noted with `nil`.
    func setBody(_ body: StoredBody?, of revision: RevisionID, in document: DocumentRecord, isLeaf: Bool) throws
    /// Tells whether the revision, which is not the winner, is still a leaf, when its body is to stay as it is.
    func setIsLeaf(_ isLeaf: Bool, of revision: RevisionID, in document: DocumentRecord) throws
    /// Changes a document's row whose winner changes: puts the old winner's body aside and the new winner's in its place.
    ///
    /// `update` need not be called as well.
    ///
    /// - Parameters:
    ///   - body: the new winner's body; `nil` if it is already kept, or never came.
    ///   - previous: the winner until now; its body stays as a leaf's or as a recent ancestor's.
    func changeWinner(of document: DocumentRecord, body: StoredBody?, previous: RevisionID, previousIsLeaf: Bool) throws
    func removeBody(of revision: RevisionID, in document: DocumentRecord) throws
    /// Keeps the newest `count` bodies of ancestors and forgets the others.
    func trimBodies(of document: DocumentKey, keeping count: Int) throws
    /// Forgets a document with all its revisions, and takes away what it gave to users and roles.
    func purge(_ document: DocumentKey) throws
    /// Remembers where a document is, and was, for the time when it comes back under its legacy ID after a purge.
    func rememberPlaces(of document: DocumentKey) throws
    /// The places that a document of this legacy ID had when it was purged. They are forgotten.
    func removeRememberedPlaces(of unifiedID: String) throws -> [(collection: CollectionKey, id: String)]

    /// Notes when a document expires, in milliseconds since 1970; `nil` if it does not. Its row's flags have to say so, too.
    func setExpiry(_ time: Int64?, of document: DocumentKey) throws

    /// Puts a document, whose row has been written, into these channels and takes it out of the others.
    ///
    /// Where it stays, its place in the channel is that of its last change; where it comes or leaves, it is `sequence`.
    func setChannels(_ channels: Set<String>, of document: DocumentRecord, at sequence: SequenceNumber) throws
    /// Puts a document into these channels alone, where its row says that it was written, as if it had never been in others.
    func placeInChannels(_ channels: Set<String>, _ document: DocumentRecord) throws
    /// Notes the channels of a losing leaf, whose body is kept.
    func setChannels(_ channels: Set<String>, of leaf: RevisionID, in document: DocumentRecord) throws

    func setDeparture(_ departure: DepartureRecord) throws
    /// Keeps a departure in place of the one, if there is one, of the place to which the document has come, and notes that it is back there.
    func setDeparture(_ departure: DepartureRecord, inPlaceOf id: String, from collection: CollectionKey) throws
    /// Notes that a document is back where it had been moved away from.
    func endDeparture(of document: DocumentKey, as id: String, from collection: CollectionKey, at sequence: SequenceNumber) throws

    func setLocalDocument(_ document: LocalDocument?, _ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws

    /// Remembers that what was given out between two sequences is lost, because a backup was restored at a time in milliseconds since 1970.
    func setFence(from lower: SequenceNumber, to upper: SequenceNumber, at time: Int64) throws

    /// Notes that a checkpoint was written.
    func note(_ checkpointRecord: CheckpointRecord) throws
    /// Notes that clients have sent requests. Of one user, and of all, only a bounded number is kept: those that were seen last.
    func note(_ visits: [Visit]) throws
    func setHistoryMark(_ mark: HistoryMark, of document: DocumentKey) throws
    func removeHistoryMarks(of document: DocumentKey, before sequence: SequenceNumber) throws

    func setUpstream(_ record: UpstreamRecord) throws
    /// Notes that the legacy upstream has shown the present state of the document at this sequence, at this place of its own feed. It counts
    /// until the document changes.
    func recordUpstreamShown(_ sequence: SequenceNumber, ordinal: Int64) throws
    /// Moves on the mark up to which every document has been shown, so that `firstUnshown` need not look before it.
    func advanceShownMark() throws
    /// Keeps what ``StoreSnapshot/upstreamSight(of:at:)`` answers. Of one user, and of all, only a bounded number is kept: what was learned last.
    func setUpstreamDevice(
        _ channels: String, before position: SequenceNumber?, learned: SequenceNumber, of user: String, at place: String, time: Int64)
        throws
    /// Keeps the places of our feed, as JSON, with rows that upstream had not sent such a device.
    func setUpstreamUnsentPositions(_ positions: String, of user: String, at place: String) throws
    /// Notes that a document had been in a channel and has left it, at the latest with its winner; nothing where it is in the channel, or is
    /// known to have left it later.
    ///
    /// - Parameters:
    ///   - sequence: Its place in the channel; `nil` for the document's own.
    ///   - number: That of the legacy upstream's change with which it left there; `nil` if it has none.
    func recordChannelLeft(_ channel: String, _ document: DocumentRecord, at sequence: SequenceNumber?, upstream number: Int64?) throws
    /// Keeps the word that a document, which is not here yet, has left a channel. A bounded number is kept.
    func setUpstreamLoss(of id: String, from channel: String, upstream number: Int64?) throws
    /// The channels that were kept for a document, with the numbers of the changes, which are forgotten.
    func removeUpstreamLosses(of id: String) throws -> [(channel: String, number: Int64?)]
    func recordUpstreamToken(_ digest: [UInt8], ordinal: Int64) throws
    /// Forgets opaque sequences up to a place of upstream's feed, the earliest first.
    func forgetTokens(upTo ordinal: Int64, limit: Int) throws
    /// Forgets all that was shown behind a place of upstream's feed.
    func forgetShown(behind ordinal: Int64) throws

    /// Adds a step of a cutover to the audit; its number is given.
    @discardableResult
    func add(_ step: CutoverStepRecord) throws -> CutoverStepRecord

    /// Adds an attachment's bytes at once. Bytes that are there already are not stored again.
    func insertAttachment(_ bytes: [UInt8], digest: AttachmentDigest) throws -> AttachmentRecord
    /// Begins an attachment whose bytes come in parts; nobody sees it before it is finished.
    func beginAttachment() throws -> Int64
    /// Adds a part, numbered from 0. Every part but the last has ``AttachmentRecord/partSize`` bytes.
    func appendAttachment(_ key: Int64, part: Int, _ bytes: [UInt8]) throws
    /// Gives an attachment its name, once all its parts are there. If there is one of that name already, its record is returned.
    ///
    /// - Parameter digest: The SHA-1 of the bytes, which the caller has computed while they came.
    func finishAttachment(_ key: Int64, digest: AttachmentDigest, length: Int64) throws -> AttachmentRecord
    func abandonAttachment(_ key: Int64) throws
    /// Another digest under which the attachment is named, such as CouchDB's MD5.
    func addAlias(_ digest: AttachmentDigest, for attachment: AttachmentRecord) throws
    /// The `_attachments` of every kept body of a document.
    func keptAttachments(of document: DocumentKey) throws -> [[UInt8]]
    /// The attachments that the document's kept revisions name.
    func setAttachments(_ attachments: Set<Int64>, usedBy document: DocumentKey) throws
    /// The digests of attachments that the document's kept revisions name and whose bytes are not here. When bytes of such a digest
    /// come, the document uses them from then on.
    func setMissingAttachments(_ digests: Set<String>, of document: DocumentKey) throws
    /// Deletes attachments that nothing names and that are older than `age` milliseconds; returns how many.
    func collectAttachments(olderThan age: Int64, limit: Int) throws -> Int

    func setVersion(_ version: VersionRecord, of document: DocumentKey) throws
    func setLegacyRevision(_ revision: RevisionID?, of document: DocumentKey, client: String) throws

    func beginMoveRun(routes: String) throws -> MoveRun
    func updateMoveRun(_ run: MoveRun) throws
    func recordMove(_ move: MoveRecord, in run: Int64) throws
    /// Forgets the moves of the documents behind `start` up to `end`, this one too, besides those that are named in order.
    func forgetMoves(in run: Int64, after start: DocumentKey, upTo end: DocumentKey, but kept: [DocumentKey]) throws

    /// Adds a run; its key is given.
    func beginMigrationRun(_ run: MigrationRunRecord) throws -> MigrationRunRecord
    func updateMigrationRun(_ run: MigrationRunRecord) throws
    /// Keeps what could not be written, instead of what was kept before of the same revision, place and source; its key is given.
    func quarantine(_ record: QuarantineRecord) throws
    /// Forgets what was kept of a document, because it has been written with these revisions: that of the whole, and of each of them.
    ///
    /// - Parameter place: where the part of the document stands that has been written; `nil` if it is all of it.
    func releaseQuarantine(collection: String, id: String, revisions: Set<String>, place: String?) throws
    func removeQuarantine(_ key: Int64) throws

    /// Parks revisions that were refused. Those that are parked already are counted once more; for what there is no room, only the number is
    /// kept.
    func park(_ revisions: [ParkedRevision]) throws
    func releaseParked(_ key: Int64) throws
    /// Takes revisions off the list. Of pushes it is still known that the server does not have them.
    ///
    /// - Returns: How many there were.
    @discardableResult
    func forgetParked(_ selection: ParkedSelection) throws -> Int
    /// Forgets the number of those that are not kept: they are going to be met again.
    func forgetParkedSurplus(_ selection: ParkedSelection) throws
}

extension StoreTransaction {
    /// Adds the collection, or changes whether it is hidden.
    public func putCollection(scope: String, name: String, isHidden: Bool?) throws -> CollectionRecord {
        try putCollection(scope: scope, name: name, isHidden: isHidden, syncFunction: nil)
    }
}
