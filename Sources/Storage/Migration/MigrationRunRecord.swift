/// The journal of a run that imports documents.
package struct MigrationRunRecord: Sendable, Equatable {
    package enum State: Int64, Sendable {
        case running = 0
        case finished = 1
        case cancelled = 2
    }

    /// 0 until the store has added it.
    package var key: Int64

    /// The source's name in messages, without credentials.
    package var source: String

    /// Distinguishes the source from another source at the same address.
    package var identity: String?

    /// The routes. A repeated run has the same routes.
    package var routes: String

    /// The other options that a repeated run must have in common.
    package var options: String

    /// Milliseconds since 1970.
    package var started: Int64
    package var finished: Int64?
    package var state: State

    /// The end of the last written batch, in the source's own format.
    package var cursor: String?

    /// The counts up to ``cursor``, in the importer's format.
    package var counts: String

    package init(
        key: Int64 = 0, source: String, identity: String?, routes: String, options: String, started: Int64, finished: Int64? = nil,
        state: State = .running, cursor: String? = nil, counts: String
    ) {
        self.key = key
        self.source = source
        self.identity = identity
        self.routes = routes
        self.options = options
        self.started = started
        self.finished = finished
        self.state = state
        self.cursor = cursor
        self.counts = counts
    }
}

/// A document or revision that could not be imported, with its content in the source.
package struct QuarantineRecord: Sendable, Equatable {
    /// 0 until the store has added it.
    package var key: Int64

    /// The run in which the import failed.
    package var run: Int64

    /// The source of the document.
    package var source: String

    /// The collection in the source, `scope.name`.
    package var collection: String

    /// The document's ID, or the closest readable approximation.
    package var id: String

    /// `nil` if the whole document is faulty.
    package var revision: String?

    /// Its position in a source that may have several rows with one ID: `byte 1804137`. Empty for other sources.
    package var place: String

    /// The fault and its remedy.
    package var reason: String

    /// When the record was written, in milliseconds since 1970.
    package var modified: Int64

    /// The length in the source, in bytes. Of very large documents only a part is stored in ``bytes``.
    package var length: Int
    package var bytes: [UInt8]

    /// - Parameter length: `nil` if `bytes` is complete.
    package init(
        key: Int64 = 0, run: Int64, source: String, collection: String, id: String, revision: String? = nil, place: String = "",
        reason: String, modified: Int64, length: Int? = nil, bytes: [UInt8]
    ) {
        self.key = key
        self.run = run
        self.source = source
        self.collection = collection
        self.id = id
        self.revision = revision
        self.place = place
        self.reason = reason
        self.modified = modified
        self.length = length ?? bytes.count
        self.bytes = bytes
    }
}
