package import BLIP

/// What a session takes in, holds and sends at a time.
package struct SessionLimits: Sendable, Hashable {
    /// The limits of frames and messages.
    package var blip: BLIPLimits

    /// How outgoing messages are compressed.
    package var compression = BLIPCompression()

    /// How hard: zlib's level, 0 for not at all.
    package var compressionLevel: Int {
        get { Int(compression.level) }
        set { compression = BLIPCompression(level: newValue) }
    }

    /// The most requests that are being answered before the socket is read again. Those that wait for the client are not counted.
    package var requests = 512

    /// The most rows of one `proposeChanges`. LiteCore sends 200.
    package var proposals = 10_000

    /// The most revisions, and the most bytes of them, that wait to be written before the socket is read again.
    package var revisionsToWrite = 2_000
    package var bytesToWrite = 16 << 20

    /// The most revisions, and about the most bytes of them, that are written in one transaction.
    package var revisionsInTransaction = 1_000
    package var bytesInTransaction = 8 << 20

    /// The most revisions, and the most bytes of them, that wait for attachments; more are refused with 503.
    package var revisionsAwaitingAttachments = 2_000
    package var bytesAwaitingAttachments = 64 << 20

    /// The most revisions whose attachments are being fetched at a time.
    package var attachmentDownloads = 8

    /// The most attachments that are being sent at a time, and the most requests for others that wait.
    package var attachmentUploads = 8
    package var attachmentRequests = 2_000

    /// The most attachments of one revision.
    package var attachmentsOfRevision = 1_000

    /// The most `changes` messages of one feed that wait for their answer or for their revisions to be sent. Sync Gateway
    /// has three, which makes a client at the end of a long line wait.
    package var changesInFlight = 8

    /// The most revisions, and about the most bytes of them, that are read from the store at a time.
    package var revisionsInRead = 100
    package var bytesInRead = 1 << 20

    /// How long a client whose database was upgraded to versions is waited for to pull, and the most of its proposals that wait for its pull.
    package var timeToPull = Duration.seconds(2)
    package var waitingProposals = 16

    /// The most collections that one connection may ask for.
    package var collections = 1_000

    /// How long nothing must go either way until a connection gives back the memory that only a busy one needs.
    package var quietTime = Duration.seconds(30)

    /// A checkpoint, in bytes: as much as a local document of 1.x may have.
    package var checkpointSize = 1 << 20

    /// Bytes of frames that are handed to the socket at once.
    package var flushSize = 256 << 10

    /// Outgoing bytes beyond which a connection is dropped: its client asks and asks, and does not read.
    package var maxQueuedBytes = 256 << 20

    /// The default limits.
    package init() {
        blip = BLIPLimits()
        blip.maxBodySize = 32 << 20
    }
}
