package import NIOCore

/// Bounds on requests to the 1.x listener, and the parameters of its feeds.
package struct LegacyLimits: Sendable {
    /// The size of a JSON body in bytes, uncompressed. .NET never splits its batches of 100 revisions.
    package var bodySize = 64 << 20

    /// Above this size in bytes, the attachments of a `_bulk_docs` body are stored as they arrive, and do not count towards ``bodySize``.
    package var streamedBodySize = 1 << 20

    /// The size in bytes of the JSON part of a multipart document, which may contain inline attachments.
    package var documentPartSize = 64 << 20

    /// The size of a `_local/` document in bytes.
    package var localDocumentSize = 1 << 20

    /// The number of documents in one `_bulk_docs`, `_bulk_get`, `_revs_diff` or list of keys.
    package var documents = 20_000

    /// The number of revisions of one document in `_revs_diff`, `open_revs`, `atts_since` and `revs_from`.
    package var revisions = 1_000

    /// The number of attachments of one multipart document.
    package var attachments = 1_000

    /// The nesting depth of arrays and objects in a JSON body.
    package var depth = 512

    /// The maximum size in bytes of attachments that are inline in multipart responses, as in Sync Gateway (`kMaxInlineAttachmentSize`).
    package var inlineAttachmentSize: Int64 = 200

    /// The maximum number of attachment bytes in a JSON response.
    package var inlineTotalSize: Int64 = 64 << 20

    /// Larger inline attachments, in bytes, are stored in chunks before the document is written.
    package var bufferedAttachmentSize = 128 << 10

    /// The number of rows that a feed reads at once.
    package var changesBatch = 1_000

    /// The number of documents that a list examines at once to find those that the client may read; at least two.
    package var listScan = 5_000

    /// The maximum number of rows of a descending feed.
    package var descendingChanges = 100_000

    /// The maximum size in bytes of `req.query` of a filter function, which is parsed again for each document.
    package var filterParametersSize = 16 << 10

    /// The maximum number of open longpoll, continuous, eventsource and WebSocket feeds per user; guests are distinguished by address.
    package var openFeeds = 1_000

    /// The maximum rate of requests of one user per second, averaged over ten seconds; `nil` for no limit.
    package var requestRate: Int?

    /// The value of `Retry-After` in seconds.
    package var retryAfter = 5

    /// The number of documents, and the approximate bytes of their bodies, that are read at once.
    package var readBatch = 100
    package var readBatchSize = 4 << 20

    /// The number of attachment bytes that are read at once.
    package var chunkSize = 128 << 10

    /// The bounds to which a requested heartbeat is limited.
    package var minimumHeartbeat = TimeAmount.seconds(5)
    package var maximumHeartbeat = TimeAmount.minutes(60)

    /// The maximum size in bytes of the first message of a WebSocket feed, which contains options and possibly document IDs.
    package var webSocketOptionsSize = 1 << 20

    /// The number of rows in one message of a WebSocket feed.
    package var webSocketRows = 200

    /// The heartbeat of a WebSocket feed whose client requests none.
    package var webSocketHeartbeat = TimeAmount.seconds(300)

    /// The default and the maximum duration of an idle feed without a heartbeat.
    package var defaultTimeout = TimeAmount.seconds(300)
    package var maximumTimeout = TimeAmount.seconds(900)

    package init() {}
}
