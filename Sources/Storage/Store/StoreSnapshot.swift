public import Documents

/// One consistent state of a store. Valid only inside the closure that it was given to.
public protocol StoreSnapshot: AccessSnapshot {
    // Database

    /// The counter: no change has a higher sequence.
    var lastSequence: SequenceNumber { get throws }
    /// Where the counter began: every change has a higher sequence. Never changes.
    var origin: SequenceNumber { get throws }
    /// Survives copies and restores; the source ID of our version vectors comes from it.
    var uuid: [UInt8] { get throws }
    func setting(_ name: String) throws -> String?
    func counts(_ scope: FeedScope) throws -> DocumentCounts

    // Collections

    /// Another number after every change to collections. Those who keep what they read of them keep it under this number.
    ///
    /// `nil` in a transaction that has made such a change: it may yet be undone.
    var collectionsVersion: Int64? { get throws }
    func collections() throws -> [CollectionRecord]
    func collection(_ key: CollectionKey) throws -> CollectionRecord?

    // Documents

    func document(unifiedID: String) throws -> DocumentRecord?
    func document(in collection: CollectionKey, id: String) throws -> DocumentRecord?
    func document(_ key: DocumentKey) throws -> DocumentRecord?
    /// Whether a document has this ID in the collection that has another legacy ID, or none.
    func hasLocalID(_ id: String, in collection: CollectionKey) throws -> Bool
    /// Documents of which more than one leaf is live; the latest made come first.
    func conflicted(limit: Int) throws -> [DocumentRecord]
    /// The body of a revision, if it is kept: every leaf's is, and of recent ancestors.
    func body(of revision: RevisionID, in document: DocumentRecord) throws -> StoredBody?
    /// Where a document went that lived in `collection` as `id`, if it was moved.
    func departure(from collection: CollectionKey, id: String) throws -> DepartureRecord?
    /// The places from which a document was moved away, in the order in which it left them.
    func departures(of document: DocumentKey) throws -> [DepartureRecord]
    /// Departures in the order in which they happened.
    func departures(from collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DepartureRecord) throws -> Void) throws
    /// With which change a document came back to `collection` last, if it had been moved away from there.
    func returnSequence(of document: DocumentKey, to collection: CollectionKey) throws -> SequenceNumber?
    /// Documents that came back to `collection`, in the order in which they did.
    func returns(to collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DocumentKey, SequenceNumber) throws -> Void) throws

    // Feeds and listings: rows are handed over one by one, at most `limit`; returning false ends early

    func feed(_ scope: FeedScope, _ stretch: FeedStretch, _ visit: (FeedRow) throws -> Bool) throws
    func list(_ scope: FeedScope, range: ListRange, limit: Int, _ visit: (FeedRow) throws -> Bool) throws
    /// Documents of a collection by key, for work that goes through all of them in steps.
    func documents(in collection: CollectionKey?, after: DocumentKey, limit: Int, _ visit: (DocumentRecord) throws -> Bool) throws

    // Expiry

    /// When a document expires, in milliseconds since 1970; `nil` if it does not.
    func expiry(of document: DocumentKey) throws -> Int64?
    /// The documents that expire at `time` or before it, the earliest first, at most `limit`.
    func expired(at time: Int64, limit: Int) throws -> [DocumentKey]
    /// When the next document expires after `time`; `nil` if none does.
    func nextExpiry(after time: Int64) throws -> Int64?

    // Channels

    /// The channels that a document is in, and was in.
    func channels(of document: DocumentKey) throws -> [ChannelEntry]
    /// The last sequence at which a document came into a channel, or left it, without a change of its own: its place in the channel is not that in the feed.
    var lastChannelOnlySequence: SequenceNumber { get throws }
    /// The channels of a revision whose body is kept; the winner's are the document's.
    func channels(of revision: RevisionID, in document: DocumentRecord) throws -> Set<String>
    /// The documents that are in a channel, and those which left it, in the order of `scope`; returning false ends early.
    func channelFeed(
        _ channel: String, of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch,
        _ visit: (ChannelRow) throws -> Bool) throws

    // Local documents and checkpoints

    func localDocument(_ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws -> LocalDocument?

    // The legacy upstream

    /// What is known of its feed; `nil` if none was ever noted.
    func upstream() throws -> UpstreamRecord?
    /// The place in its feed that an opaque sequence stands for, by the SHA-1 of the sequence.
    func upstreamOrdinal(ofToken digest: [UInt8]) throws -> Int64?
    /// The sequence of the first document of the unified feed whose present state upstream has not shown.
    func firstUnshown() throws -> SequenceNumber?
    /// The sequence of the first document of the unified feed whose present state upstream has shown only behind `ordinal`.
    func firstShown(behind ordinal: Int64) throws -> SequenceNumber?

    /// What was learned of a user's device at a place of upstream's feed; `nil` if nothing ever was.
    func upstreamDevice(of user: String, at place: String) throws -> UpstreamDeviceRecord?
    /// What was learned of devices of a user at places with names from one up to another, which is not among them.
    func upstreamDevices(of user: String, from first: String, to end: String) throws -> [UpstreamDeviceRecord]
    /// At which ordinal upstream has shown the document at a sequence as it is; `nil` if it has not.
    func upstreamOrdinal(at sequence: SequenceNumber) throws -> Int64?

    /// Whether documents that are not here yet are known to have left channels.
    var hasUpstreamLosses: Bool { get throws }
    /// Whether upstream has shown the present state of the document at this sequence of the unified feed.
    func isShownUpstream(_ sequence: SequenceNumber) throws -> Bool

    // Cutover

    /// The steps that were taken or refused, the last first.
    func cutoverSteps(limit: Int) throws -> [CutoverStepRecord]

    // Sightings

    /// Checkpoints that were written since a time, in milliseconds since 1970; the latest first.
    func checkpointRecords(since time: Int64, limit: Int) throws -> [CheckpointRecord]
    /// The same, with those of one user, generation, agent, feed and direction in one; those of one client stand together.
    func checkpointGroups(since time: Int64, generation: Int?, limit: Int) throws -> [CheckpointGroup]
    /// How many clients of a generation were seen since a time, by their checkpoints or by their requests. A client is a user with a `User-Agent`.
    func clientCount(ofGeneration generation: Int, since time: Int64) throws -> Int
    /// Those of one user, generation and agent in one; the ones of one client that were seen last, `limit` rows at most.
    func visitGroups(since time: Int64, generation: Int?, limit: Int) throws -> [VisitGroup]
    /// How many there were each day, from a day since 1970 on.
    func checkpointDays(since day: Int64) throws -> [CheckpointDay]
    /// The lowest position of those that were written since a time.
    func lowestPosition(seenSince time: Int64) throws -> SequenceNumber?
    /// How many documents have changed after a position, and not after the other one if there is one; at most `limit`.
    func changeCount(_ scope: FeedScope, after position: SequenceNumber, upTo end: SequenceNumber?, limit: Int) throws -> Int
    /// The last mark in a document's history at or before a sequence.
    func historyMark(of document: DocumentKey, upTo sequence: SequenceNumber) throws -> HistoryMark?
    /// The last sequence of the backup that was restored, if `sequence` was given out after it and lost.
    func fence(around sequence: SequenceNumber) throws -> SequenceNumber?
    /// When the last backup was restored before `sequence` was given out, in milliseconds since 1970; `nil` if none was.
    func restored(before sequence: SequenceNumber) throws -> Int64?

    // Attachments

    func attachment(_ digest: AttachmentDigest) throws -> AttachmentRecord?
    /// At most `count` bytes from `offset`.
    func attachmentBytes(_ attachment: AttachmentRecord, offset: Int64, count: Int) throws -> [UInt8]
    /// Whether a kept revision of the document names the attachment.
    func uses(_ document: DocumentKey, _ attachment: AttachmentRecord) throws -> Bool
    /// The digests of attachments that the document names and whose bytes are not here; an empty text for one without a digest.
    func missingAttachments(of document: DocumentKey) throws -> Set<String>
    /// Documents that name attachments whose bytes are not here, in the order of their keys.
    func documentsMissingAttachments(after document: DocumentKey, limit: Int) throws -> [DocumentKey]

    // 4.x clients

    /// The last version under which 4.x clients know a document; `nil` if none was ever told of it, or sent one.
    func version(of document: DocumentKey) throws -> VersionRecord?
    /// The last revision of a tree that a client's database had of a document before it was upgraded to versions.
    func legacyRevision(of document: DocumentKey, client: String) throws -> RevisionID?
    /// The same of all clients.
    func legacyRevisions(of document: DocumentKey) throws -> [String: RevisionID]

    // Moves

    func moveRuns() throws -> [MoveRun]
    /// What a run has moved, in the order of the documents' keys, until `visit` says that it is enough.
    func movedDocuments(in run: Int64, after: DocumentKey, limit: Int, _ visit: (MovedDocumentRecord) throws -> Bool) throws

    // Runs from elsewhere

    /// In the order in which they began.
    func migrationRuns() throws -> [MigrationRunRecord]
    /// What could not be written, in the order in which it was kept.
    ///
    /// - Parameter withBytes: Whether its bytes are wanted, which may be many.
    func quarantined(after key: Int64, limit: Int, withBytes: Bool) throws -> [QuarantineRecord]
    func quarantineCount() throws -> Int
    /// Why a document, or a revision of it, is kept there; `nil` if none is.
    func quarantineReason(collection: String, id: String) throws -> String?

    // Parked revisions

    /// How many there are, those included of which only the number is kept.
    func parkedCount(_ selection: ParkedSelection) throws -> Int
    func parked(_ selection: ParkedSelection, by order: ParkedOrder, skip: Int, limit: Int) throws -> [ParkedRevision]
    /// Those of one document, by an index; those that were taken off the list by hand as well.
    func parked(of replication: String, _ direction: ParkedDirection, collection: String, id: String) throws -> [ParkedRevision]
    func parked(_ key: Int64) throws -> ParkedRevision?
}

extension StoreSnapshot {
    /// How many revisions are parked.
    public func parkedCount() throws -> Int { try parkedCount(.all) }
}
