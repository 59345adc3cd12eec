package import BLIP

/// The limits of a session: message sizes, concurrent work and memory.
package struct SessionLimits: Sendable, Hashable {
    /// The limits of frames and messages.
    package var blip: BLIPLimits

    /// How outgoing messages are compressed.
    package var compression = BLIPCompression()

    /// zlib's compression level; 0 disables compression.
    package var compressionLevel: Int {
        get { Int(compression.level) }
        set { compression = BLIPCompression(level: newValue) }
    }

    /// The maximum number of requests in progress before the socket is read again. Requests that wait for the client do not count.
    package var requests = 512

    /// The maximum number of rows in one `proposeChanges`. LiteCore sends 200.
    package var proposals = 10_000

    /// The maximum number of revisions that wait to be written, and of their bytes, before the socket is read again.
    package var revisionsToWrite = 2_000
    package var bytesToWrite = 16 << 20

    /// The maximum number of revisions in one write transaction, and the approximate maximum of their bytes.
    package var revisionsInTransaction = 1_000
    package var bytesInTransaction = 8 << 20

    /// The maximum number of revisions that wait for attachments, and of their bytes; more revisions are refused with 503.
    package var revisionsAwaitingAttachments = 2_000
    package var bytesAwaitingAttachments = 64 << 20

    /// The maximum number of revisions whose attachments are downloaded concurrently.
    package var attachmentDownloads = 8

    /// The maximum number of concurrent attachment uploads, and of requests that wait for one.
    package var attachmentUploads = 8
    package var attachmentRequests = 2_000

    /// The maximum number of attachments of one revision.
    package var attachmentsOfRevision = 1_000

    /// The maximum number of `changes` messages of one feed in flight: messages that wait for their reply or for their revisions to be
    /// sent. Sync Gateway's limit is three, which slows down a client with a long round-trip time.
    package var changesInFlight = 8

    /// The maximum number of revisions in one read from the store, and the approximate maximum of their bytes.
    package var revisionsInRead = 100
    package var bytesInRead = 1 << 20

    /// The time to wait for the pull of a client whose database was upgraded to versions, and the maximum number of its proposals that wait
    /// for this pull.
    package var timeToPull = Duration.seconds(2)
    package var waitingProposals = 16

    /// The time to wait for a requested revision before the pull sends another revision of its document.
    package var timeToPush = Duration.seconds(2)

    /// The time after which a client with revision trees has received a revision that was sent without a reply.
    package var timeToReceive = Duration.seconds(60)

    /// The maximum number of collections of one connection.
    package var collections = 1_000

    /// The time without traffic after which a connection releases the memory that only a busy connection needs.
    package var quietTime = Duration.seconds(30)

    /// The maximum size of a checkpoint in bytes: the limit for local documents of 1.x.
    package var checkpointSize = 1 << 20

    /// The maximum number of bytes that are passed to the socket at once.
    package var flushSize = 256 << 10

    /// The number of queued outgoing bytes beyond which a connection is dropped: its client sends requests without reading the replies.
    package var maxQueuedBytes = 256 << 20

    /// The default limits.
    package init() {
        blip = BLIPLimits()
        blip.maxBodySize = 32 << 20
    }
}
