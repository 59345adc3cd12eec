public import BLIP

/// What a session takes in, holds and sends at a time.
public struct SessionLimits: Sendable, Hashable {
    /// The limits of frames and messages.
    public var blip: BLIPLimits

    /// How outgoing messages are compressed.
    public var compression = BLIPCompression()

    /// How hard: zlib's level, 0 for not at all.
    public var compressionLevel: Int {
        get { Int(compression.level) }
        set { compression = BLIPCompression(level: newValue) }
    }

    /// The most requests that are being answered before the socket is read again. Those that wait for the client are not counted.
    public var requests = 512

    /// The most rows of one `proposeChanges`. LiteCore sends 200.
    public var proposals = 10_000

    /// The most revisions, and the most bytes of them, that wait to be written before the socket is read again.
    public var revisionsToWrite = 2_000
    public var bytesToWrite = 16 << 20

    /// The most revisions, and about the most bytes of them, that are written in one transaction.
    public var revisionsInTransaction = 1_000
    public var bytesInTransaction = 8 << 20

    /// The most revisions, and the most bytes of them, that wait for attachments; more are refused with 503.
    public var revisionsAwaitingAttachments = 2_000
    public var bytesAwaitingAttachments = 64 << 20

    /// The most revisions whose attachments are being fetched at a time.
    public var attachmentDownloads = 8

    /// The most attachments that are being sent at a time, and the most requests for others that wait.
    public var attachmentUploads = 8
    public var attachmentRequests = 2_000

    /// The most attachments of one revision.
    public var attachmentsOfRevision = 1_000

    /// The most `changes` messages of one feed that wait for their answer or for their revisions to be sent. Sync Gateway
    /// has three, which makes a client at the end of a long line wait.
    public var changesInFlight = 8

    /// The most revisions, and about the most bytes of them, that are read from the store at a time.
    public var revisionsInRead = 100
    public var bytesInRead = 1 << 20

    /// How long a client whose database was upgraded to versions is waited for to pull, and the most of its proposals that wait for its pull.
    public var timeToPull = Duration.seconds(2)
    public var waitingProposals = 16

    /// The most collections that one connection may ask for.
    public var collections = 1_000

    /// How long nothing must go either way until a connection gives back the memory that only a busy one needs.
    public var quietTime = Duration.seconds(30)

    /// A checkpoint, in bytes: as much as a local document of 1.x may have.
    public var checkpointSize = 1 << 20

    /// Bytes of frames that are handed to the socket at once.
    public var flushSize = 256 << 10

    /// Outgoing bytes beyond which a connection is dropped: its client asks and asks, and does not read.
    public var maxQueuedBytes = 256 << 20

    /// The default limits.
    public init() {
        blip = BLIPLimits()
        blip.maxBodySize = 32 << 20
    }
}
