/// A run that brings documents in from elsewhere: its journal.
public struct MigrationRunRecord: Sendable, Equatable {
    public enum State: Int64, Sendable {
        case running = 0
        case finished = 1
        case cancelled = 2
    }

    /// 0 until the store has added it.
    public var key: Int64

    /// The source as messages call it, without credentials.
    public var source: String

    /// What tells the source from another one at the same place.
    public var identity: String?

    /// The routes, to tell a repeated run from another one.
    public var routes: String

    /// What else has to be the same.
    public var options: String

    /// Milliseconds since 1970.
    public var started: Int64
    public var finished: Int64?
    public var state: State

    /// Where the last batch that was written ended, in the source's own words.
    public var cursor: String?

    /// What was counted until there, in the words of whoever counts.
    public var counts: String

    public init(
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

/// A document, or a revision of one, that could not be written, with what its source has of it.
public struct QuarantineRecord: Sendable, Equatable {
    /// 0 until the store has added it.
    public var key: Int64

    /// The run that met it.
    public var run: Int64

    /// Where it was read from.
    public var source: String

    /// The collection in the source, `scope.name`.
    public var collection: String

    /// The document's ID, or the nearest to it that can be told.
    public var id: String

    /// `nil` where the whole document is at fault.
    public var revision: String?

    /// Where it stands in a source that may have several rows of one ID: `byte 1804137`. Empty elsewhere.
    public var place: String

    /// What is wrong, and what to do.
    public var reason: String

    /// When it was kept, in milliseconds since 1970.
    public var modified: Int64

    /// How many bytes the source has of it: more than are kept where it is very large.
    public var length: Int
    public var bytes: [UInt8]

    /// - Parameter length: `nil` if all of it is kept.
    public init(
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
