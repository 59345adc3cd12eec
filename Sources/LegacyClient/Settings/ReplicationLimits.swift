import LegacyProtocol

/// The concurrency of a replication, and the bounds on what it accepts from a server.
struct ReplicationLimits: Sendable {
    /// The maximum number of revisions per request. Couchbase Lite for iOS: 100; at a round-trip time of 200 ms that transfers 500 documents per
    /// second and concurrent request.
    var batch = 800

    /// The number of revisions per request if the server answers `_bulk_get` in JSON, which has to be read as a whole.
    var jsonBatch = 50

    /// The number of concurrent requests for or with revisions, to saturate slow links. Couchbase Lite for iOS: 12.
    var concurrency = 12

    /// The approximate size of one `_bulk_docs` body in bytes (Couchbase Lite for iOS and Java).
    var bulkSize = 5_000_000

    /// Smaller attachments, in bytes, are sent inline in pushed documents (Couchbase Lite for iOS and Java).
    var inlineAttachmentSize: Int64 = 2048

    /// Pulled documents are written when they have this size together, in bytes.
    var writeSize = 4 << 20

    /// The approximate size in bytes of pulled documents that wait for earlier documents of the feed.
    var windowSize = 64 << 20

    /// How long a request is held back while the window is full. Shorter than a server's timeout for a response that is not read.
    var orderTimeout = Duration.seconds(10)

    /// The maximum size of a row of a changes feed, in bytes.
    var rowSize = 1 << 20

    /// The maximum size of a JSON response, in bytes.
    var answerSize = 64 << 20

    /// The maximum size that is read of an error response, in bytes.
    var errorSize = 64 << 10

    /// The maximum number of ancestors named in the request for a revision.
    var ancestors = 10

    /// The interval at which a changed checkpoint is saved.
    var checkpointInterval = Duration.seconds(5)

    /// After this period without requests the server is checked for a restoration before revisions are sent to it.
    var trustedSilence = Duration.seconds(2)

    /// The timeouts for connecting and for a silent server (Couchbase Lite for Java).
    var connectTimeout = Duration.seconds(10)
    var readTimeout = Duration.seconds(40)

    /// How long a stopped replication may take for transfers in progress, and then for its checkpoint. The sum is less than the time in which a
    /// bridge has to shut down.
    var stopTime = Duration.seconds(4)
    var lastCheckpointTime = Duration.seconds(2)

    /// The maximum number of failed documents that are retained.
    var retainedErrors = 1_000

    /// The delays before the retries of a request that failed transiently.
    var requestDelays = ReplicationBackoff.requestDelays

    /// The limits for the document readers shared with the 1.x listener.
    var reading: LegacyLimits {
        var limits = LegacyLimits()
        limits.inlineAttachmentSize = inlineAttachmentSize - 1
        limits.bodySize = answerSize
        return limits
    }
}
