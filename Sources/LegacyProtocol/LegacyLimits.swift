package import NIOCore

/// Bounds on what the 1.x listener takes in one request, and on how its feeds behave.
package struct LegacyLimits: Sendable {
    /// A JSON body, in bytes, after decompression. .NET never splits its batches of 100 revisions.
    package var bodySize = 64 << 20

    /// The attachments of a `_bulk_docs` body of more than this many bytes are stored as they come, and do not count towards ``bodySize``.
    package var streamedBodySize = 1 << 20

    /// The JSON part of a multipart document, in bytes: attachments may stand in it.
    package var documentPartSize = 64 << 20

    /// A `_local/` document, in bytes.
    package var localDocumentSize = 1 << 20

    /// Documents in one `_bulk_docs`, `_bulk_get`, `_revs_diff` or list of keys.
    package var documents = 20_000

    /// Revisions of one document in `_revs_diff`, `open_revs`, `atts_since` and `revs_from`.
    package var revisions = 1_000

    /// Attachments of one multipart document.
    package var attachments = 1_000

    /// Nested arrays and objects in a JSON body.
    package var depth = 512

    /// Attachments of at most this size stand inline in multipart answers, as Sync Gateway does (`kMaxInlineAttachmentSize`).
    package var inlineAttachmentSize: Int64 = 200

    /// Bytes of attachments that a JSON answer may hold.
    package var inlineTotalSize: Int64 = 64 << 20

    /// Inline attachments of more than this many bytes are stored in parts before the document is written.
    package var bufferedAttachmentSize = 128 << 10

    /// Rows that a feed reads at once.
    package var changesBatch = 1_000

    /// Documents that a list looks at in one go, in search of those that its reader may see; at least two.
    package var listScan = 5_000

    /// Rows of a descending feed.
    package var descendingChanges = 100_000

    /// What a filter function gets as `req.query`, in bytes: it is read anew for each document.
    package var filterParametersSize = 16 << 10

    /// Longpoll, continuous, eventsource and WebSocket feeds that one user may have open at a time; guests are told apart by their addresses.
    package var openFeeds = 1_000

    /// Requests a second that one user may send, on an average of ten seconds; `nil` for any number.
    package var requestRate: Int?

    /// After how many seconds a client that was told to wait may come again.
    package var retryAfter = 5

    /// Documents and bytes of bodies, about, that are read at once.
    package var readBatch = 100
    package var readBatchSize = 4 << 20

    /// Bytes of an attachment that are read at once.
    package var chunkSize = 128 << 10

    /// A shorter heartbeat than this is raised to it.
    package var minimumHeartbeat = TimeAmount.seconds(5)
    package var maximumHeartbeat = TimeAmount.minutes(60)

    /// The first message of a WebSocket feed, in bytes: options, and document IDs perhaps.
    package var webSocketOptionsSize = 1 << 20

    /// Rows of one message of a WebSocket feed.
    package var webSocketRows = 200

    /// The heartbeat of a WebSocket feed whose client does not say.
    package var webSocketHeartbeat = TimeAmount.seconds(300)

    /// How long an idle feed without a heartbeat lives, if its client does not say, and at most.
    package var defaultTimeout = TimeAmount.seconds(300)
    package var maximumTimeout = TimeAmount.seconds(900)

    package init() {}
}
