public import NIOCore

/// Bounds on what the 1.x listener takes in one request, and on how its feeds behave.
public struct LegacyLimits: Sendable {
    /// A JSON body, in bytes, after decompression. .NET never splits its batches of 100 revisions.
    public var bodySize = 64 << 20

    /// The attachments of a `_bulk_docs` body of more than this many bytes are stored as they come, and do not count towards ``bodySize``.
    public var streamedBodySize = 1 << 20

    /// The JSON part of a multipart document, in bytes: attachments may stand in it.
    public var documentPartSize = 64 << 20

    /// A `_local/` document, in bytes.
    public var localDocumentSize = 1 << 20

    /// Documents in one `_bulk_docs`, `_bulk_get`, `_revs_diff` or list of keys.
    public var documents = 20_000

    /// Revisions of one document in `_revs_diff`, `open_revs`, `atts_since` and `revs_from`.
    public var revisions = 1_000

    /// Attachments of one multipart document.
    public var attachments = 1_000

    /// Nested arrays and objects in a JSON body.
    public var depth = 512

    /// Attachments of at most this size stand inline in multipart answers, as Sync Gateway does (`kMaxInlineAttachmentSize`).
    public var inlineAttachmentSize: Int64 = 200

    /// Bytes of attachments that a JSON answer may hold.
    public var inlineTotalSize: Int64 = 64 << 20

    /// Inline attachments of more than this many bytes are stored in parts before the document is written.
    public var bufferedAttachmentSize = 128 << 10

    /// Rows that a feed reads at once.
    public var changesBatch = 1_000

    /// Documents that a list looks at in one go, in search of those that its reader may see; at least two.
    public var listScan = 5_000

    /// Rows of a descending feed.
    public var descendingChanges = 100_000

    /// What a filter function gets as `req.query`, in bytes: it is read anew for each document.
    public var filterParametersSize = 16 << 10

    /// Longpoll, continuous, eventsource and WebSocket feeds that one user may have open at a time; guests are told apart by their addresses.
    public var openFeeds = 1_000

    /// Requests a second that one user may send, on an average of ten seconds; `nil` for any number.
    public var requestRate: Int?

    /// After how many seconds a client that was told to wait may come again.
    public var retryAfter = 5

    /// Documents and bytes of bodies, about, that are read at once.
    public var readBatch = 100
    public var readBatchSize = 4 << 20

    /// Bytes of an attachment that are read at once.
    public var chunkSize = 128 << 10

    /// A shorter heartbeat than this is raised to it.
    public var minimumHeartbeat = TimeAmount.seconds(5)
    public var maximumHeartbeat = TimeAmount.minutes(60)

    /// The first message of a WebSocket feed, in bytes: options, and document IDs perhaps.
    public var webSocketOptionsSize = 1 << 20

    /// Rows of one message of a WebSocket feed.
    public var webSocketRows = 200

    /// The heartbeat of a WebSocket feed whose client does not say.
    public var webSocketHeartbeat = TimeAmount.seconds(300)

    /// How long an idle feed without a heartbeat lives, if its client does not say, and at most.
    public var defaultTimeout = TimeAmount.seconds(300)
    public var maximumTimeout = TimeAmount.seconds(900)

    public init() {}
}
