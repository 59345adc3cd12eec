import LegacyProtocol

/// How much a replication does at once, and the most that it takes from a server.
struct ReplicationLimits: Sendable {
    /// Revisions that are asked for or sent with one request, at most. Couchbase Lite for iOS: 100, with which a line of 200 ms there and back
    /// brings 500 documents a second for each request that is under way.
    var batch = 800

    /// Revisions that are asked for together where the server answers `_bulk_get` with JSON, which has to be read whole.
    var jsonBatch = 50

    /// Requests for or with revisions that are under way at the same time, so that a slow link is kept busy. Couchbase Lite for iOS: 12.
    var concurrency = 12

    /// Bytes of one `_bulk_docs`, about (Couchbase Lite for iOS and Java).
    var bulkSize = 5_000_000

    /// Attachments of fewer bytes stand within a pushed document (Couchbase Lite for iOS and Java).
    var inlineAttachmentSize: Int64 = 2048

    /// Bytes of pulled documents that are gathered before they are written.
    var writeSize = 4 << 20

    /// Bytes of pulled documents that wait for documents before them in the feed, about.
    var windowSize = 64 << 20

    /// How long a request is held back for them; less than a server waits whose answer nobody reads.
    var orderPatience = Duration.seconds(10)

    /// A row of a changes feed, in bytes.
    var rowSize = 1 << 20

    /// A JSON answer, in bytes.
    var answerSize = 64 << 20

    /// What is read of an answer that is an error, in bytes.
    var errorSize = 64 << 10

    /// Ancestors that are named with a revision that is asked for.
    var ancestors = 10

    /// How long after something new the checkpoint is saved.
    var checkpointInterval = Duration.seconds(5)

    /// For how long a server that says nothing is taken for what it was. Afterwards it is looked at before it is given anything.
    var trustedSilence = Duration.seconds(2)

    /// How long connecting may take, and how long the server may be silent (Couchbase Lite for Java).
    var connectTimeout = Duration.seconds(10)
    var readTimeout = Duration.seconds(40)

    /// How long a replication that is stopped may take for what is under way, and then for its checkpoint. Together they are less than the time in which a bridge has
    /// to end.
    var stopTime = Duration.seconds(4)
    var lastCheckpointTime = Duration.seconds(2)

    /// Documents whose errors are remembered.
    var rememberedErrors = 1_000

    /// The waits before a request that failed transiently is sent again.
    var requestDelays = ReplicationBackoff.requestDelays

    /// What the 1.x listener's readers of documents allow.
    var reading: LegacyLimits {
        var limits = LegacyLimits()
        limits.inlineAttachmentSize = inlineAttachmentSize - 1
        limits.bodySize = answerSize
        return limits
    }
}
