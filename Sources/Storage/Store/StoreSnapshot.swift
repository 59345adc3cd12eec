package import Documents

/// One consistent state of a store. Valid only inside the closure that receives it.
package protocol StoreSnapshot: AccessSnapshot {
    // Database

    /// The counter's value. No change has a higher sequence.
    var lastSequence: SequenceNumber { get throws }
    /// The counter's start. Every change has a higher sequence. Constant.
    var origin: SequenceNumber { get throws }
    /// The database's identity. It is the same in copies and restored backups; the source ID of our version vectors is derived from it.
    var uuid: [UInt8] { get throws }
    func setting(_ name: String) throws -> String?
    func counts(_ scope: FeedScope) throws -> DocumentCounts

    // Collections

    /// Changes with every change to collections. Caches of collections use it as their key.
    ///
    /// `nil` in a transaction that has made such a change, which may be rolled back.
    var collectionsVersion: Int64? { get throws }
    func collections() throws -> [CollectionRecord]
    func collection(_ key: CollectionKey) throws -> CollectionRecord?

    // Documents

    /// Announces that documents with these IDs in a scope will be looked up, and these legacy IDs. Changes nothing: an engine on another machine
    /// reads them all at once.
    ///
    /// - Parameter details: What will be read of them besides their records.
    func announceLookups(of ids: [String], legacyIDs: [String], in scope: FeedScope, with details: AnnouncedDetails) throws
    func document(unifiedID: String) throws -> DocumentRecord?
    func document(in collection: CollectionKey, id: String) throws -> DocumentRecord?
    func document(_ key: DocumentKey) throws -> DocumentRecord?
    /// Whether the collection has a document with this ID whose legacy ID differs or is missing.
    func hasLocalID(_ id: String, in collection: CollectionKey) throws -> Bool
    /// Documents with more than one live leaf, the latest created first.
    func conflicted(limit: Int) throws -> [DocumentRecord]
    /// The body of a revision, if it is stored. Bodies of all leaves and of recent ancestors are stored.
    func body(of revision: RevisionID, in document: DocumentRecord) throws -> StoredBody?
    /// The departure of a document that had this ID in `collection`, if it was moved.
    func departure(from collection: CollectionKey, id: String) throws -> DepartureRecord?
    /// All departures of a document, the earliest first.
    func departures(of document: DocumentKey) throws -> [DepartureRecord]
    /// The departures from a collection, in feed order.
    func departures(from collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DepartureRecord) throws -> Void) throws
    /// The sequence of a document's last return to `collection`, if it had been moved away from there.
    func returnSequence(of document: DocumentKey, to collection: CollectionKey) throws -> SequenceNumber?
    /// The documents that returned to `collection`, in feed order.
    func returns(to collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DocumentKey, SequenceNumber) throws -> Void) throws

    // Feeds and listings pass rows one by one, at most `limit`. If the closure returns `false`, the read ends.

    func feed(_ scope: FeedScope, _ stretch: FeedStretch, _ visit: (FeedRow) throws -> Bool) throws
    func list(_ scope: FeedScope, range: ListRange, limit: Int, _ visit: (FeedRow) throws -> Bool) throws
    /// Documents of a collection by key, for work that visits all of them in steps.
    func documents(in collection: CollectionKey?, after: DocumentKey, limit: Int, _ visit: (DocumentRecord) throws -> Bool) throws

    // Expiry

    /// The expiry time of a document, in milliseconds since 1970; `nil` if it does not expire.
    func expiry(of document: DocumentKey) throws -> Int64?
    /// The documents that expire at or before `time`, the earliest first, at most `limit`.
    func expired(at time: Int64, limit: Int) throws -> [DocumentKey]
    /// The first expiry time after `time`; `nil` if there is none.
    func nextExpiry(after time: Int64) throws -> Int64?

    // Channels

    /// The current and past channels of a document.
    func channels(of document: DocumentKey) throws -> [ChannelEntry]
    /// The last sequence of a change of channels only. Such an entry has a different sequence in the channel than the document has in the feed.
    var lastChannelOnlySequence: SequenceNumber { get throws }
    /// The channels of a revision with a stored body. The winner's channels are the document's.
    func channels(of revision: RevisionID, in document: DocumentRecord) throws -> Set<String>
    /// The current and former documents of a channel, in the order of `scope`. If `visit` returns `false`, the read ends.
    func channelFeed(
        _ channel: String, of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch,
        _ visit: (ChannelRow) throws -> Bool) throws
    /// The keys of channels. A channel that no document has ever been in has none.
    func channelKeys(_ names: Set<ExactString>) throws -> [ExactString: ChannelKey]
    /// The first rows of several channels within a stretch, up to its limit, in no particular order.
    func channelFeed(
        _ channels: [StoredChannel], in scope: FeedScope, _ stretch: FeedStretch, _ visit: (StoredChannel, ChannelRow) throws -> Void)
        throws
    /// The position of each channel's first row within a stretch, or of its last one in a descending stretch. Channels without a row are left out.
    func channelHeads(
        _ channels: [StoredChannel], in scope: FeedScope, _ stretch: FeedStretch, _ visit: (StoredChannel, SequenceNumber) throws -> Void)
        throws

    // Local documents and checkpoints

    func localDocument(_ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws -> LocalDocument?

    // The legacy upstream

    /// The state of its feed; `nil` if none is recorded.
    func upstream() throws -> UpstreamRecord?
    /// The ordinal of an opaque sequence, by the SHA-1 of the sequence.
    func upstreamOrdinal(ofToken digest: [UInt8]) throws -> Int64?
    /// The sequence of the first document of the unified feed whose current state the upstream feed has not shown.
    func firstUnshown() throws -> SequenceNumber?
    /// The sequence of the first document of the unified feed whose current state the upstream feed has shown only after `ordinal`.
    func firstShown(behind ordinal: Int64) throws -> SequenceNumber?

    /// The record of a user's client at a position in the upstream feed; `nil` if there is none.
    func upstreamDevice(of user: String, at place: String) throws -> UpstreamDeviceRecord?
    /// The records of a user's clients at positions with keys from `first` up to, but not including, `end`.
    func upstreamDevices(of user: String, from first: String, to end: String) throws -> [UpstreamDeviceRecord]
    /// The ordinal at which the upstream feed showed the current state of the document at a sequence; `nil` if it has not.
    func upstreamOrdinal(at sequence: SequenceNumber) throws -> Int64?

    /// Whether removals from channels are recorded for documents that this store has not received yet.
    var hasUpstreamLosses: Bool { get throws }
    /// Whether the upstream feed has shown the current state of the document at this sequence of the unified feed.
    func isShownUpstream(_ sequence: SequenceNumber) throws -> Bool

    // Cutover

    /// The steps taken or refused, the latest first.
    func cutoverSteps(limit: Int) throws -> [CutoverStepRecord]

    // Clients

    /// Checkpoints written since a time, in milliseconds since 1970; the latest first.
    func checkpointRecords(since time: Int64, limit: Int) throws -> [CheckpointRecord]
    /// The same, grouped by user, generation, agent, feed and direction. The groups of one client are adjacent.
    func checkpointGroups(since time: Int64, generation: Int?, limit: Int) throws -> [CheckpointGroup]
    /// The number of clients of a generation that wrote a checkpoint or sent a request since a time. A client is a user with a `User-Agent`.
    func clientCount(ofGeneration generation: Int, since time: Int64) throws -> Int
    /// Visits grouped by user, generation and agent, the latest first, at most `limit` rows.
    func visitGroups(since time: Int64, generation: Int?, limit: Int) throws -> [VisitGroup]
    /// The number of checkpoints per day, from a day since 1970 on.
    func checkpointDays(since day: Int64) throws -> [CheckpointDay]
    /// The lowest position of the checkpoints written since a time.
    func lowestPosition(seenSince time: Int64) throws -> SequenceNumber?
    /// The number of documents that changed after `position` and not after `end`, if there is one; at most `limit`.
    func changeCount(_ scope: FeedScope, after position: SequenceNumber, upTo end: SequenceNumber?, limit: Int) throws -> Int
    /// The last mark in a document's history at or before a sequence.
    func historyMark(of document: DocumentKey, upTo sequence: SequenceNumber) throws -> HistoryMark?
    /// The last sequence of the restored backup, if `sequence` was assigned after the backup and lost by the restore.
    func fence(around sequence: SequenceNumber) throws -> SequenceNumber?
    /// The time of the last restore before `sequence` was assigned, in milliseconds since 1970; `nil` if there was none.
    func restored(before sequence: SequenceNumber) throws -> Int64?
    func restores() throws -> RestoreHistory

    // Attachments

    func attachment(_ digest: AttachmentDigest) throws -> AttachmentRecord?
    /// At most `count` bytes from `offset`.
    func attachmentBytes(_ attachment: AttachmentRecord, offset: Int64, count: Int) throws -> [UInt8]
    /// Whether a stored revision of the document references the attachment.
    func uses(_ document: DocumentKey, _ attachment: AttachmentRecord) throws -> Bool
    /// The digests of attachments that the document references and the store does not have; an empty string for an attachment without a digest.
    func missingAttachments(of document: DocumentKey) throws -> Set<String>
    /// Documents that reference missing attachments, in the order of their keys.
    func documentsMissingAttachments(after document: DocumentKey, limit: Int) throws -> [DocumentKey]

    // 4.x clients

    /// The latest version of a document that 4.x clients have; `nil` if none was sent to or received from a client.
    func version(of document: DocumentKey) throws -> VersionRecord?
    /// The last tree revision of a document in a client's database before the client was upgraded to versions.
    func legacyRevision(of document: DocumentKey, client: String) throws -> RevisionID?
    /// The same for all clients.
    func legacyRevisions(of document: DocumentKey) throws -> [String: RevisionID]

    // Moves

    func moveRuns() throws -> [MoveRun]
    /// The documents that a run has moved, in the order of their keys. If `visit` returns `false`, the read ends.
    func movedDocuments(in run: Int64, after: DocumentKey, limit: Int, _ visit: (MovedDocumentRecord) throws -> Bool) throws

    // Imports

    /// In the order of their starts.
    func migrationRuns() throws -> [MigrationRunRecord]
    /// Documents and revisions that could not be imported, in the order of recording.
    ///
    /// - Parameter withBytes: Whether to read their bytes, which may be many.
    func quarantined(after key: Int64, limit: Int, withBytes: Bool) throws -> [QuarantineRecord]
    func quarantineCount() throws -> Int
    /// The reason why a document or a revision of it is quarantined; `nil` if none is.
    func quarantineReason(collection: String, id: String) throws -> String?

    // Parked revisions

    /// The number of parked revisions, including the ones that are only counted.
    func parkedCount(_ selection: ParkedSelection) throws -> Int
    func parked(_ selection: ParkedSelection, by order: ParkedOrder, skip: Int, limit: Int) throws -> [ParkedRevision]
    /// The parked revisions of one document, by an index, including the ones that an administrator removed from the list.
    func parked(of replication: String, _ direction: ParkedDirection, collection: String, id: String) throws -> [ParkedRevision]
    func parked(_ key: Int64) throws -> ParkedRevision?
}

extension StoreSnapshot {
    package func announceLookups(of ids: [String], legacyIDs: [String], in scope: FeedScope, with details: AnnouncedDetails) throws {}

    /// The number of parked revisions.
    package func parkedCount() throws -> Int { try parkedCount(.all) }
}

/// Parts of documents that are read besides their records.
package struct AnnouncedDetails: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The winners' bodies. An engine may leave out large ones.
    package static let bodies = AnnouncedDetails(rawValue: 1)
    package static let channels = AnnouncedDetails(rawValue: 2)
    package static let versions = AnnouncedDetails(rawValue: 4)
}
